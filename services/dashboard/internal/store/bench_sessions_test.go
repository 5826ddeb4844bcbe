package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// workReadings reads sessions, and sums of a day by the values that clients choose.
func (l ledger) workReadings(s *store.Store) []reading {
	sessions := func(q record.SessionQuery) func(context.Context, int) (int, error) {
		return func(ctx context.Context, _ int) (int, error) {
			q.Account = busy
			page, err := s.Sessions(ctx, q, nil, 50)
			return len(page.Items), err
		}
	}
	all := []reading{
		{name: "sessions", most: firstPage, read: sessions(record.SessionQuery{})},
		{name: "sessions by cost", most: filtered, read: sessions(record.SessionQuery{Sort: record.SortByCost})},
		{name: "sessions of a user", most: filtered, read: sessions(record.SessionQuery{User: "user-77"})},
		{name: "sessions by part of the id", most: filtered, read: sessions(record.SessionQuery{Search: "0077"})},
		{name: "a session's requests", most: filtered, read: func(ctx context.Context, _ int) (int, error) {
			page, err := s.SessionRequests(ctx, busy, l.session(rand.IntN(l.rows)), nil, 50)
			return len(page.Items), err
		}},
		{name: "session:ID", most: filtered, read: func(ctx context.Context, _ int) (int, error) {
			return l.after(ctx, s, "session:"+l.session(rand.IntN(l.rows)), nil)
		}},
	}
	for _, by := range []record.GroupBy{record.GroupSession, record.GroupUser, record.GroupTag, record.GroupRule, record.GroupEndpoint, "meta.team"} {
		all = append(all, reading{name: fmt.Sprint("a day's impact by ", by), read: func(ctx context.Context, n int) (int, error) {
			q := record.Query{Account: busy, From: l.start.AddDate(0, 0, n%fillDays), To: l.start.AddDate(0, 0, n%fillDays+1)}
			impact, err := s.Impact(ctx, q, by)
			return len(impact.Groups), err
		}})
	}
	return all
}
