package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// maxDuration limits the duration of one request, so that a damaged record does not move
// the end of its session by years.
const maxDuration = 24 * time.Hour

func durationOf(us int64) time.Duration {
	return time.Duration(min(max(us, 0), maxDuration.Microseconds())) * time.Microsecond
}

const selectSession = `SELECT session, agent, end_user, started_us, ended_us, requests, side_calls, errors, unpriced,
	cost_nano_usd, saved_nano_usd, input_tokens, cache_read_tokens, cache_write_tokens FROM sessions WHERE `

var sessionOrders = map[record.SessionSort]string{record.SortByTime: "ended_us", record.SortByCost: "cost_nano_usd"}

// Sessions returns at most limit sessions after the cursor, in descending order. A nil
// cursor starts with the first one.
func (s *Store) Sessions(ctx context.Context, q record.SessionQuery, after *record.SessionCursor, limit int) (record.SessionPage, error) {
	// Fetch one extra session to learn whether there is a next page.
	statement, args := s.buildSessions(q, after, limit+1)
	var page record.SessionPage
	if err := s.readPageRows(ctx, statement, args, func(rows *sql.Rows) error { return appendSession(&page, rows) }); err != nil {
		return record.SessionPage{}, err
	}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.Next = cursorAfterSession(&page.Items[limit-1], q.Sort)
	}
	return page, nil
}

func (s *Store) buildSessions(q record.SessionQuery, after *record.SessionCursor, limit int) (string, []any) {
	order := sessionOrders[q.Sort]
	if order == "" {
		order = sessionOrders[record.SortByTime]
	}
	w := s.sessionsWhere(q)
	if after != nil {
		w.addCondition("("+order+", session) < (", after.Value)
		w.text.WriteString(", ")
		w.writeArg(after.ID)
		w.text.WriteString(")")
	}
	return selectSession + w.text.String() + " ORDER BY " + order + " DESC, session DESC LIMIT " + strconv.Itoa(limit), w.args
}

func (s *Store) sessionsWhere(q record.SessionQuery) *whereClause {
	w := s.newWhere(record.Query{Account: q.Account})
	if !q.From.IsZero() {
		w.addCondition("ended_us >= ", q.From.UnixMicro())
	}
	if !q.To.IsZero() {
		w.addCondition("started_us < ", q.To.UnixMicro())
	}
	if q.Agent != "" {
		w.addCondition("agent = ", q.Agent)
	}
	if q.User != "" {
		w.addCondition("end_user = ", q.User)
	}
	if q.Search != "" {
		w.text.WriteString(" AND ")
		w.writeContains(q.Search, "session")
	}
	return w
}

func cursorAfterSession(s *record.Session, by record.SessionSort) *record.SessionCursor {
	if by == record.SortByCost {
		return &record.SessionCursor{Value: s.Cost, ID: s.ID}
	}
	return &record.SessionCursor{Value: s.Ended.UnixMicro(), ID: s.ID}
}

func appendSession(page *record.SessionPage, row *sql.Rows) error {
	var s record.Session
	var started, ended int64
	err := row.Scan(&s.ID, &s.Agent, &s.User, &started, &ended, &s.Requests, &s.SideCalls, &s.Errors, &s.Unpriced,
		&s.Cost, &s.Saved, &s.Input, &s.CacheRead, &s.CacheWrite)
	s.Started, s.Ended = time.UnixMicro(started).UTC(), time.UnixMicro(ended).UTC()
	page.Items = append(page.Items, s)
	return err
}

// Session returns one session of the account. The error is NOT_FOUND if the session does
// not exist or belongs to another account.
func (s *Store) Session(ctx context.Context, account, id string) (record.Session, error) {
	var page record.SessionPage
	err := s.readPageRows(ctx, selectSession+"account_id = $1 AND session = $2", []any{account, id}, func(rows *sql.Rows) error { return appendSession(&page, rows) })
	switch {
	case err != nil:
		return record.Session{}, err
	case len(page.Items) == 0:
		return record.Session{}, apperr.New(apperr.NotFound, "the session does not exist")
	}
	return page.Items[0], nil
}

// SessionRequests returns at most limit requests of a session after the cursor, oldest
// first, without content. A nil cursor starts with the first request.
func (s *Store) SessionRequests(ctx context.Context, account, id string, after *record.Cursor, limit int) (record.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeouts.Read)
	defer cancel()
	w := s.newWhere(record.Query{Account: account, Terms: []record.Term{{Field: record.BySession, Tests: []record.Test{{Op: record.Equal, Text: id}}}}})
	if after != nil {
		w.addCondition("time_us >= ", after.Time.UnixMicro())
		w.addCondition("(time_us, id) > (", after.Time.UnixMicro())
		w.text.WriteString(", ")
		w.writeArg(after.ID[:])
		w.text.WriteString(")")
	}
	found, err := queryRecords(ctx, s.db.Replica(), `SELECT record FROM requests WHERE `+w.text.String()+
		` ORDER BY time_us, id LIMIT `+strconv.Itoa(limit+1), w.args)
	if err != nil {
		return record.Page{}, toReadError(err)
	}
	page := record.Page{Items: found}
	if len(found) > limit {
		page.Items = found[:limit]
		page.Next = record.CursorAfter(&page.Items[limit-1])
	}
	return page, nil
}
