package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

func vacuum(b testing.TB, url string) {
	conn, err := pgx.Connect(b.Context(), url)
	require.NoError(b, err)
	defer func() { _ = conn.Close(b.Context()) }()
	_, err = conn.Exec(b.Context(), "VACUUM ANALYZE")
	require.NoError(b, err)
}

func (l ledger) query(text string) (record.Query, error) {
	terms, err := record.ParseFilter(text)
	return record.Query{Account: busy, From: l.start, To: time.Now(), Terms: terms}, err
}

// page reads the first fifty records, however many calls that takes.
func (l ledger) page(s *store.Store, text string) func(context.Context, int) (int, error) {
	return func(ctx context.Context, _ int) (int, error) { return l.after(ctx, s, text, nil) }
}

// deep reads fifty records after a random time of the month.
func (l ledger) deep(s *store.Store, text string) func(context.Context, int) (int, error) {
	return func(ctx context.Context, n int) (int, error) {
		at := l.start.Add(time.Duration(rand.Int64N(int64(l.hours))) * time.Hour)
		return l.after(ctx, s, text, &record.Cursor{Time: at.Add(time.Duration(n) * time.Minute)})
	}
}

func (l ledger) after(ctx context.Context, s *store.Store, text string, cursor *record.Cursor) (int, error) {
	q, err := l.query(text)
	if err != nil {
		return 0, err
	}
	for found := 0; ; {
		page, err := s.Page(ctx, q, cursor, 50-found)
		found += len(page.Items)
		if cursor = page.Next; err != nil || cursor == nil || found == 50 {
			return found, err
		}
	}
}

func (l ledger) details(s *store.Store) []reading {
	var ids []uuid.UUID
	for range 40 {
		ids = append(ids, l.id(rand.IntN(l.rows)))
	}
	search := func(text func(id uuid.UUID) string) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) { return l.after(ctx, s, text(ids[n]), nil) }
	}
	return []reading{
		{name: "a request's id", most: filtered, read: search(uuid.UUID.String), want: 1},
		{name: "the beginning of one", most: filtered, read: search(func(id uuid.UUID) string { return id.String()[:18] })},
		{name: "a client's own id", most: filtered, want: 1, read: func(ctx context.Context, n int) (int, error) {
			return l.after(ctx, s, "id:"+l.clientID(n), nil)
		}},
		{name: "detail", most: detail, want: 1, read: func(ctx context.Context, n int) (int, error) {
			_, err := s.Get(ctx, busy, ids[n])
			return 1, err
		}},
		{name: "detail with content", most: detail, want: 1, read: func(ctx context.Context, n int) (int, error) {
			at := l.start.AddDate(0, 0, n%fillDays).Add(time.Duration(n) * time.Second)
			r, err := s.Get(ctx, fmt.Sprint("small-", n%5), idAt(at, uint64(n%fillDays*1000+n)))
			if err != nil || r.Content == nil {
				return 0, err
			}
			return 1, nil
		}},
	}
}

// clientID returns the n-th client request id.
func (l ledger) clientID(n int) string {
	for hour := n * l.hours / 41; ; hour++ {
		for _, r := range l.hour(hour) {
			if r.ClientRequestID != "" {
				return r.ClientRequestID
			}
		}
	}
}

func (l ledger) totals(s *store.Store) []reading {
	impact := func(text string, by record.GroupBy) reading {
		return reading{name: fmt.Sprintf("a month's impact by %s %s", by, text), most: filtered, read: func(ctx context.Context, n int) (int, error) {
			q, err := l.query(text)
			if err != nil {
				return 0, err
			}
			q.From = q.From.Add(time.Duration(n) * time.Minute)
			impact, err := s.Impact(ctx, q, by)
			return len(impact.Groups), err
		}}
	}
	var all []reading
	for _, by := range []record.GroupBy{record.GroupModel, record.GroupKey, record.GroupProvider, record.GroupRoute, record.GroupDay} {
		all = append(all, impact("", by))
	}
	for _, text := range []string{"key:team-4", "model:model-3 route:fallback", "-outcome:ok", "model:rare-model", "code:PROVIDER_CODE_3", "has:error", "cost:>$1"} {
		all = append(all, impact(text, record.GroupModel))
	}
	month := func(n int) record.Query {
		return record.Query{Account: busy, From: l.start.Add(time.Duration(n) * time.Minute), To: time.Now()}
	}
	return append(all, []reading{
		{name: "series by hour", most: filtered, read: func(ctx context.Context, n int) (int, error) {
			series, err := s.Series(ctx, month(n), time.Hour)
			return len(series), err
		}},
		{name: "series of an hour by minute", most: filtered, read: func(ctx context.Context, n int) (int, error) {
			q := month(n)
			q.From = q.To.Add(-time.Hour)
			series, err := s.Series(ctx, q, time.Minute)
			return len(series), err
		}},
		{name: "figures of the overview", most: filtered, read: func(ctx context.Context, n int) (int, error) {
			figures, err := s.Figures(ctx, month(n))
			return int(figures.LatencySamples), err
		}},
	}...)
}
