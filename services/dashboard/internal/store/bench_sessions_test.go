package store_test

import (
	"context"
	"math/rand/v2"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// sessionReadings reads sessions and their requests.
func (l ledger) sessionReadings(s *store.Store) []reading {
	sessions := func(q record.SessionQuery) func(context.Context, int) (int, error) {
		return func(ctx context.Context, _ int) (int, error) {
			q.Account = busy
			page, err := s.Sessions(ctx, q, nil, 50)
			return len(page.Items), err
		}
	}
	return []reading{
		{name: "sessions", most: firstPage, read: sessions(record.SessionQuery{})},
		{name: "sessions by cost", most: filtered, read: sessions(record.SessionQuery{Sort: record.SortByCost})},
		{name: "sessions of a user", most: filtered, read: sessions(record.SessionQuery{User: "user-79"})},
		{name: "sessions by part of the id", most: filtered, read: sessions(record.SessionQuery{Search: "0077"})},
		{name: "a session's requests", most: filtered, read: func(ctx context.Context, _ int) (int, error) {
			page, err := s.SessionRequests(ctx, busy, l.session(rand.IntN(l.rows)), nil, 50)
			return len(page.Items), err
		}},
		{name: "session:ID, another one each time", most: filtered, read: func(ctx context.Context, _ int) (int, error) {
			return l.after(ctx, s, "session:"+l.session(rand.IntN(l.rows)), nil)
		}},
	}
}
