package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/saturate"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

// maxSessionSum is the highest sum of a session. Two of them can be added without an
// overflow, which would make an insert fail.
const maxSessionSum = 4_000_000_000_000_000_000

// sessionSumColumns are the columns of the table sessions that add up.
var sessionSumColumns = []string{
	"requests", "side_calls", "errors", "unpriced", "cost_nano_usd", "saved_nano_usd", "input_tokens", "cache_read_tokens", "cache_write_tokens",
}

var sessionsTable = newSessionsTable()

func newSessionsTable() bulk.Table {
	t := bulk.Table{Name: "sessions", Key: "account_id, session", Columns: []bulk.Column{
		bulk.Text("account_id"), bulk.Text("session"), bulk.Text("agent"), bulk.Text("end_user"), bulk.Int("started_us"), bulk.Int("ended_us"),
	}}
	set := []string{
		"agent = CASE WHEN excluded.agent <> '' THEN excluded.agent ELSE sessions.agent END",
		"end_user = CASE WHEN excluded.end_user <> '' THEN excluded.end_user ELSE sessions.end_user END",
		"started_us = CASE WHEN excluded.started_us < sessions.started_us THEN excluded.started_us ELSE sessions.started_us END",
		"ended_us = CASE WHEN excluded.ended_us > sessions.ended_us THEN excluded.ended_us ELSE sessions.ended_us END",
	}
	for _, column := range sessionSumColumns {
		t.Columns = append(t.Columns, bulk.Int(column))
		set = append(set, fmt.Sprintf("%[1]s = CASE WHEN sessions.%[1]s + excluded.%[1]s > %[2]d THEN %[2]d WHEN sessions.%[1]s + excluded.%[1]s < -%[2]d THEN -%[2]d ELSE sessions.%[1]s + excluded.%[1]s END",
			column, int64(maxSessionSum)))
	}
	t.OnConflict = strings.Join(set, ", ")
	return t
}

type sessionKey struct{ account, session string }

// sessionRows returns the rows that add records to their sessions. The rows are sorted,
// because dashboards that lock the same rows in different orders could deadlock.
func sessionRows(all []*record.Record) [][]any {
	sums := map[sessionKey]*record.Session{}
	for _, r := range all {
		if r.Session == "" {
			continue
		}
		k := sessionKey{codec.CleanText(r.AccountID), limitName(r.Session)}
		if sums[k] == nil {
			sums[k] = &record.Session{Started: r.Time, Ended: r.Time}
		}
		addToSession(sums[k], r)
	}
	var rows [][]any
	for _, k := range slices.SortedFunc(maps.Keys(sums), func(a, b sessionKey) int {
		return cmp.Or(strings.Compare(a.account, b.account), strings.Compare(a.session, b.session))
	}) {
		s := sums[k]
		rows = append(rows, []any{
			k.account, k.session, s.Agent, s.User, s.Started.UnixMicro(), s.Ended.UnixMicro(),
			s.Requests, s.SideCalls, s.Errors, s.Unpriced, s.Cost, s.Saved, s.Input, s.CacheRead, s.CacheWrite,
		})
	}
	return rows
}

func addToSession(s *record.Session, r *record.Record) {
	s.Agent, s.User = cmp.Or(limitName(r.Agent), s.Agent), cmp.Or(limitName(r.User), s.User)
	if r.Time.Before(s.Started) {
		s.Started = r.Time
	}
	if end := r.Time.Add(durationOf(r.Latency)); end.After(s.Ended) {
		s.Ended = end
	}
	s.Requests++
	s.SideCalls += toBit(r.SideCall)
	s.Errors += toBit(r.IsError())
	if r.Cost != nil {
		s.Cost = addSessionSum(s.Cost, *r.Cost)
	}
	if saved := r.Saved(); saved != nil {
		s.Saved = addSessionSum(s.Saved, *saved)
	} else {
		s.Unpriced++
	}
	for to, n := range map[*int64]int64{&s.Input: r.Tokens.Input, &s.CacheRead: r.Tokens.CacheRead, &s.CacheWrite: r.Tokens.CacheWrite} {
		*to = addSessionSum(*to, min(max(n, 0), maxFigure))
	}
}

func addSessionSum(a, b int64) int64 {
	return min(max(saturate.Add(a, b), -maxSessionSum), maxSessionSum)
}
