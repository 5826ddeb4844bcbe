package ingest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// fakeSpend is both the source of the sums and the receiver of reports. The
// real ledger cannot run in a synctest bubble; package storetest tests it
// against the same contract.
type fakeSpend struct {
	mu    sync.Mutex
	sums  map[record.KeyDay]int64
	err   error
	bad   string // the key whose report is refused
	calls int
	told  map[string]int64 // by account, key and day
}

func (d *fakeSpend) SpendOf(_ context.Context, of []record.KeyDay) (found []record.Spend, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range of {
		found = append(found, record.Spend{KeyDay: one, NanoUSD: d.sums[one]})
	}
	return found, nil
}

func (d *fakeSpend) SpendAfter(_ context.Context, after record.KeyDay, since int64, limit int) (page []record.Spend, err error) {
	return d.after(after, since, limit, false), nil
}

func (d *fakeSpend) BudgetSpendAfter(_ context.Context, after record.KeyDay, since int64, limit int) (page []record.Spend, err error) {
	return d.after(after, since, limit, true), nil
}

func (d *fakeSpend) after(after record.KeyDay, since int64, limit int, budgets bool) (page []record.Spend) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for one, sum := range d.sums {
		if one.Day >= since && inOrder(one, after) > 0 && budgets == (one.Budget != "") {
			page = append(page, record.Spend{KeyDay: one, NanoUSD: sum})
		}
	}
	slices.SortFunc(page, func(a, b record.Spend) int { return inOrder(a.KeyDay, b.KeyDay) })
	return page[:min(len(page), limit)]
}

func inOrder(a, b record.KeyDay) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Key, b.Key), cmp.Compare(a.Budget, b.Budget))
}

func (d *fakeSpend) ReportSpend(ctx context.Context, in *keyauthv1.ReportSpendRequest, _ ...grpc.CallOption) (*keyauthv1.ReportSpendResponse, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	if _, bounded := ctx.Deadline(); !bounded || len(in.GetSpend()) > maxReportItems {
		return nil, errors.New("a call without a bound")
	}
	for _, one := range in.GetSpend() {
		if d.bad != "" && one.GetKeyId() == d.bad {
			return nil, apperr.New(apperr.InvalidRequest, "no such day")
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	for _, one := range in.GetSpend() {
		name := one.GetAccountId() + " " + one.GetKeyId() + " " + one.GetDay()
		if one.GetBudget() != "" {
			name += fmt.Sprint(" ", one.GetHour(), " ", one.GetBudget())
		}
		d.told[name] = one.GetNanoUsd()
	}
	return &keyauthv1.ReportSpendResponse{}, nil
}

// with runs f under the lock.
func (d *fakeSpend) with(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// store adds spend of a key on the day n days from now.
func (d *fakeSpend) store(s *SpendReporter, key string, n int, nano int64) {
	r := &record.Record{AccountID: "acc", KeyID: key, Time: time.Now().AddDate(0, 0, n), Cost: &nano}
	d.with(func() { d.sums[record.KeyDay{Account: "acc", Key: key, Day: record.DayOfTime(r.Time)}] += nano })
	s.MarkChanged([]*record.Record{r})
}

// spending runs a SpendReporter in a synctest bubble on the 15th of a month.
func spending(t *testing.T, before func(d *fakeSpend), test func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration))) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(14*24*time.Hour + 12*time.Hour) // bubbles start on January 1, 2000
		d := &fakeSpend{sums: map[record.KeyDay]int64{}, told: map[string]int64{}}
		if before != nil {
			before(d)
		}
		s := NewSpendReporter(d, d, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		synctest.Wait()
		test(t, s, d, func(long time.Duration) {
			<-time.After(long)
			synctest.Wait()
		})
		cancel()
		require.NoError(t, <-done)
	})
}

func TestSpendIsReportedWhenItChanges(t *testing.T) {
	spending(t, nil, func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		for range 50 {
			d.store(s, "a", 0, 2)
		}
		d.store(s, "a", -1, 7)
		d.store(s, "", 0, 9)
		d.store(s, "free", 0, 0)
		d.store(s, "late", -30, 3)
		d.store(s, "too late", -80, 3)
		d.store(s, "next week's", 7, 3)
		pass(spendInterval)
		d.with(func() {
			require.Equal(t, 1, d.calls)
			require.Equal(t, map[string]int64{"acc a 2000-01-15": 100, "acc a 2000-01-14": 7, "acc late 1999-12-16": 3}, d.told)
		})
		pass(time.Minute)
		d.with(func() { require.Equal(t, 1, d.calls, "nothing new, no call") })
		d.store(s, "a", 0, math.MaxInt64-100)
		pass(spendInterval)
		d.with(func() { require.EqualValues(t, math.MaxInt64, d.told["acc a 2000-01-15"], "the whole sum") })
	})
}

func TestTheMonthIsReportedAtTheStart(t *testing.T) {
	const keys = 2*maxReportItems + 7
	spending(t, func(d *fakeSpend) {
		for n := range keys {
			d.sums[record.KeyDay{Account: fmt.Sprintf("acc%d", n%3), Key: fmt.Sprint(n), Day: record.DayOfTime(time.Now())}] = 5
		}
		d.sums[record.KeyDay{Account: "acc0", Key: "late", Day: record.DayOfTime(time.Now()) - 15}] = 5
		d.sums[record.KeyDay{Account: "acc0", Key: "old", Day: record.DayOfTime(time.Now()) - 80}] = 5
	}, func(t *testing.T, _ *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		d.with(func() {
			require.Equal(t, 3, d.calls)
			require.Len(t, d.told, keys+1, "all that keyauth accepts")
			clear(d.told)
		})
		pass(fullReportInterval + spendInterval)
		d.with(func() {
			require.Equal(t, 6, d.calls, "and now and then")
			require.Len(t, d.told, keys, "the month")
		})
	})
}

func TestSpendWaitsForKeyauthToComeBack(t *testing.T) {
	away := func(d *fakeSpend) { d.err = errors.New("away") }
	spending(t, func(d *fakeSpend) {
		away(d)
		d.sums[record.KeyDay{Account: "acc", Key: "before", Day: record.DayOfTime(time.Now())}] = 1
	}, func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		d.store(s, "a", 0, 2)
		pass(3 * spendInterval)
		d.with(func() {
			require.Equal(t, 4, d.calls, "tried again, and not more often")
			d.err = nil
		})
		d.store(s, "a", 0, 2)
		pass(spendInterval)
		d.with(func() {
			require.EqualValues(t, 4, d.told["acc a 2000-01-15"])
			require.EqualValues(t, 1, d.told["acc before 2000-01-15"])
			away(d)
		})
		d.store(s, "a", 0, 2)
		pass(2 * spendInterval)
		d.with(func() { d.err = nil })
		pass(spendInterval)
		d.with(func() { require.EqualValues(t, 6, d.told["acc a 2000-01-15"]) })
	})
}

func TestRejectedSpendDoesNotBlockOthers(t *testing.T) {
	spending(t, nil, func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		d.with(func() { d.bad = "13" })
		for n := range 20 {
			d.store(s, fmt.Sprint(n), 0, 1)
		}
		pass(spendInterval)
		var calls int
		d.with(func() {
			calls = d.calls
			require.Len(t, d.told, 19)
		})
		pass(5 * spendInterval)
		d.with(func() { require.Equal(t, calls, d.calls, "not tried again") })
	})
}

func TestTheLastSpendIsReportedAtTheEnd(t *testing.T) {
	var d *fakeSpend
	spending(t, nil, func(_ *testing.T, s *SpendReporter, told *fakeSpend, _ func(time.Duration)) {
		d = told
		d.store(s, "a", 0, 1)
	})
	require.Len(t, d.told, 1)
}

// TestPendingKeyDaysAreLimited checks that keys beyond the limit are in the next full
// report.
func TestPendingKeyDaysAreLimited(t *testing.T) {
	spending(t, nil, func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		for n := range maxPendingKeyDays + 5 {
			d.store(s, fmt.Sprint(n), 0, 1)
		}
		s.mu.Lock()
		require.Len(t, s.pending, maxPendingKeyDays)
		s.mu.Unlock()
		pass(spendInterval)
		d.with(func() { require.Len(t, d.told, maxPendingKeyDays+5) })
	})
}

func TestSpendOfGroupBudgetsIsReported(t *testing.T) {
	old := record.KeyDay{Account: "acc", Budget: "23/b1", Day: 10957 + 9} // January 10, 2000
	spending(t, func(d *fakeSpend) { d.sums[old] = 7 }, func(t *testing.T, s *SpendReporter, d *fakeSpend, pass func(time.Duration)) {
		d.with(func() {
			require.Equal(t, map[string]int64{"acc  2000-01-10 23 b1": 7}, d.told, "the month at the start")
		})
		now, cost := time.Now(), int64(5)
		d.with(func() {
			d.sums[record.KeyDay{Account: "acc", Budget: record.BudgetHour(now, "b1"), Day: record.DayOfTime(now)}] = 5
			d.sums[record.KeyDay{Account: "acc", Budget: record.BudgetHour(now, "b2/ada"), Day: record.DayOfTime(now)}] = 6
			clear(d.told)
		})
		s.MarkChanged([]*record.Record{{AccountID: "acc", KeyID: "k", Time: now, Cost: &cost, Budgets: []string{"b1", "b2/ada"}}})
		pass(spendInterval)
		d.with(func() {
			require.Equal(t, map[string]int64{"acc  2000-01-15 12 b1": 5, "acc  2000-01-15 12 b2/ada": 6}, d.told)
		})
	})
}
