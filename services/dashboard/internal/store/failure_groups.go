package store

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/failure"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// limitSQL and accountSQL are the kind and the scope of the limit that rejected a request.
// They read them from the error message, because no other column has them. The values are
// those of package failure.
var (
	limitSQL = "CASE code" +
		whenCode(apperr.RateLimitExceeded, choose(failure.TokenWords, failure.TokensPerMinute, failure.RequestsPerMinute)) +
		whenCode(apperr.ConcurrencyLimitExceeded, quoteSQL(string(failure.Concurrent))) +
		whenCode(apperr.BudgetExceeded, choose(failure.DayWords, failure.PerDay, failure.PerMonth)) +
		" ELSE '' END"
	accountSQL   = "CASE WHEN code IN (" + listCodes(record.LimitCodes()) + ") AND " + containsSQL(failure.AccountWords) + " THEN 1 ELSE 0 END"
	otherKindSQL = "CASE WHEN code = " + quoteSQL(string(apperr.ModelNotFound)) + " AND " +
		containsSQL(failure.OtherKindStart) + " AND NOT " + containsSQL(failure.QuotedKindStart) + " THEN 1 ELSE 0 END"
	subjectSQL = subjectColumn(func(s failure.Subject) string { return subjectColumns[s] })
	// The name of a key may change, so the newest one is shown.
	subjectNameSQL = subjectColumn(func(s failure.Subject) string {
		if s == failure.ByKey {
			return "key_name"
		}
		return "''"
	})
)

var subjectColumns = map[failure.Subject]string{
	failure.ByKey: "key_id", failure.ByRequest: "requested_model", failure.ByRule: "rule", failure.ByProvider: "provider",
}

// Failures counts the failed and rejected requests by cause and by time step. It also counts
// each cause in the preceding period of the same length. The query needs a start and an end.
func (s *Store) Failures(ctx context.Context, q record.Query, step time.Duration) (failure.Summary, error) {
	sum, err := s.countFailures(ctx, q, step)
	if err != nil {
		return failure.Summary{}, err
	}
	before := q
	before.From, before.To = q.From.Add(-q.To.Sub(q.From)), q.From
	earlier, err := s.countFailures(ctx, before, q.To.Sub(q.From))
	counts := map[failure.Key]int64{}
	for _, g := range earlier.Groups {
		counts[g.Key] = g.Requests
	}
	for i := range sum.Groups {
		sum.Groups[i].Before = counts[sum.Groups[i].Key]
	}
	return sum, err
}

func (s *Store) countFailures(ctx context.Context, q record.Query, step time.Duration) (failure.Summary, error) {
	w := s.newWhere(q).addRange("time_us", queryRange(q))
	// Requests of the same key can hit limits of the account, which have no other subject.
	statement := `SELECT code, limit_kind, of_account, other_kind, CASE WHEN of_account = 1 THEN '' ELSE subject END AS of_subject,
		step_number, COUNT(*), MIN(time_us), MAX(time_us), MAX(CAST(time_us AS TEXT) || ' ' || error), MAX(CAST(time_us AS TEXT) || ' ' || subject_name)
		FROM (SELECT code, ` + limitSQL + ` AS limit_kind, ` + accountSQL + ` AS of_account, ` + otherKindSQL + ` AS other_kind, ` + subjectSQL + ` AS subject, ` +
		subjectNameSQL + ` AS subject_name, ` + floorDivSQL("time_us", step.Microseconds()) + ` AS step_number, time_us, error
		FROM requests WHERE ` + failedCondition + ` AND ` + w.text.String() + `) AS failed
		GROUP BY code, limit_kind, of_account, other_kind, of_subject, step_number ORDER BY code, limit_kind, of_account, other_kind, of_subject, step_number`
	var counter failure.Counter
	err := s.readPageRows(ctx, statement, w.args, func(rows *sql.Rows) error { return scanFailures(rows, step, &counter) })
	return counter.Summary(), err
}

func scanFailures(rows *sql.Rows, step time.Duration, to *failure.Counter) error {
	var g failure.Group
	var account, otherKind, number, oldest, newest int64
	var one failure.Step
	if err := rows.Scan(&g.Code, &g.Limit, &account, &otherKind, &g.Subject, &number, &one.Requests, &oldest, &newest, &g.NewestError, &g.Name); err != nil {
		return err
	}
	// The two texts start with the time, so that their maximum is the newest one.
	_, g.NewestError, _ = strings.Cut(g.NewestError, " ")
	_, g.Name, _ = strings.Cut(g.Name, " ")
	g.Account, g.OtherKind, g.Oldest, g.Newest = account == 1, otherKind == 1, time.UnixMicro(oldest).UTC(), time.UnixMicro(newest).UTC()
	one.Start = time.UnixMicro(number * step.Microseconds()).UTC()
	to.Add(g, one)
	return nil
}

func subjectColumn(column func(failure.Subject) string) string {
	text := "CASE"
	for _, s := range []failure.Subject{failure.ByKey, failure.ByRequest, failure.ByRule, failure.ByProvider} {
		text += " WHEN code IN (" + listCodes(failure.CodesBy(s)) + ") THEN " + column(s)
	}
	return text + " ELSE '' END"
}

func whenCode(code apperr.Code, value string) string {
	return " WHEN " + quoteSQL(string(code)) + " THEN " + value
}

func choose(words string, with, without failure.Limit) string {
	return "CASE WHEN " + containsSQL(words) + " THEN " + quoteSQL(string(with)) + " ELSE " + quoteSQL(string(without)) + " END"
}

// containsSQL compares without a pattern, because the databases implement LIKE differently.
func containsSQL(words string) string {
	return "replace(error, " + quoteSQL(words) + ", '') <> error"
}

func listCodes(all []apperr.Code) string {
	quoted := make([]string, len(all))
	for i, code := range all {
		quoted[i] = quoteSQL(string(code))
	}
	return strings.Join(quoted, ", ")
}

// quoteSQL quotes a constant of this program. Values of users are arguments instead.
func quoteSQL(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
