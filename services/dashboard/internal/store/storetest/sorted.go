package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// sortable returns records with many equal numbers, some of which lack a number.
func sortable() []*record.Record {
	var made []*record.Record
	for n := range 1200 {
		r := Make("acc", n)
		At(r, Base().Add(time.Duration(n/3)*time.Minute)) // three with the same time
		r.Tokens = record.Tokens{Input: int64(n % 7), CacheRead: int64(n % 3), Output: int64(n % 5)}
		r.Cost, r.BaselineCost = Nano(int64(n%11)*1000), Nano(int64(n%13)*900)
		r.Latency, r.TTFT = int64(n*7919%1000), int64(n%17)
		switch n % 50 {
		case 1:
			r.Cost = nil
		case 2:
			r.BaselineCost = nil
		case 3:
			r.Model = "rare"
		}
		made = append(made, r)
	}
	return made
}

// sortValue returns the number by which a record sorts; nil if it has none.
func sortValue(r *record.Record, by record.Field) *int64 {
	switch by {
	case record.ByCost:
		return r.Cost
	case record.BySaved:
		return r.Saved()
	case record.ByLatency:
		return &r.Latency
	case record.ByTTFT:
		if r.TTFT == 0 {
			return nil
		}
		return &r.TTFT
	case record.ByTokens:
		return Nano(r.Tokens.Input + r.Tokens.CacheRead + r.Tokens.CacheWrite + r.Tokens.Output)
	}
	return new(int64)
}

// sorted returns the ids of the records in order, without those that lack the number.
func sorted(all []*record.Record, s record.Sort) (want []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(r *record.Record) bool { return sortValue(r, s.By) == nil })
	slices.SortFunc(all, func(a, b *record.Record) int {
		order := cmp.Or(cmp.Compare(*sortValue(a, s.By), *sortValue(b, s.By)), a.Time.Compare(b.Time), slices.Compare(a.ID[:], b.ID[:]))
		if !s.Ascending {
			order = -order
		}
		return order
	})
	for _, r := range all {
		want = append(want, r.ID.String())
	}
	return want
}

// sortedPages: pages in every order have each record once, also for filters with many and
// with few matches, in a range, and through the text of the cursor.
func sortedPages(t *testing.T, s *store.Store) {
	made := sortable()
	insert(t, s, made...)
	insert(t, s, Make("other", 1))
	for _, by := range record.SortFields() {
		for _, order := range []string{"desc", "asc"} {
			by, err := record.ParseSort(string(by), order)
			require.NoError(t, err)
			for text, matches := range map[string]func(r *record.Record) bool{
				"":                   func(*record.Record) bool { return true },
				"key:prod":           func(*record.Record) bool { return true },
				"model:rare":         func(r *record.Record) bool { return r.Model == "rare" },
				"model:none":         func(*record.Record) bool { return false },
				"rare latency:>10us": func(r *record.Record) bool { return r.Model == "rare" && r.Latency > 10 },
			} {
				q := filter(t, "acc", text)
				q.From, q.To, q.Sort = made[30].Time, made[1100].Time, by
				want := sorted(slices.DeleteFunc(slices.Clone(made), func(r *record.Record) bool {
					return !matches(r) || r.Time.Before(q.From) || !r.Time.Before(q.To)
				}), by)
				require.Equal(t, want, allSorted(t, s, q), "%v %s", by, text)
			}
		}
	}
}

// allSorted reads all pages of a query.
func allSorted(t *testing.T, s *store.Store, q record.Query) (got []string) {
	for cursor := ""; ; {
		after, err := q.Sort.ParseCursor(cursor)
		require.NoError(t, err)
		page, err := s.Page(t.Context(), q, after, 200)
		require.NoError(t, err)
		if got = append(got, ids(page)...); page.Next == nil {
			return got
		}
		cursor = page.Next.String()
	}
}

// stableSortedPages: records that are stored between two pages repeat and hide nothing.
func stableSortedPages(t *testing.T, s *store.Store) {
	made := sortable()[:60]
	insert(t, s, made...)
	q := all("acc")
	q.Sort = record.Sort{By: record.ByTokens}
	want := sorted(made, q.Sort)
	known := map[string]bool{}
	for _, id := range want {
		known[id] = true
	}
	var got []string
	extra := 2000
	for page := range eachPage(t, s, q, 7) {
		for _, id := range ids(page) {
			if known[id] {
				got = append(got, id)
			}
		}
		for n := range 5 {
			r := Make("acc", extra)
			r.Tokens = record.Tokens{Input: int64(n * 3)}
			insert(t, s, r)
			extra++
		}
	}
	require.Equal(t, want, got)
}
