package ingest

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// spendEvery is how far the budgets of other proxies may lag behind what is
	// stored.
	spendEvery = time.Second
	// wholeEvery is how often all of the month is reported, changed or not: what
	// another dashboard stored and did not live to report is known then.
	wholeEvery = 10 * time.Minute
	// maxSpenders bounds memory. Beyond it, all of the month is reported.
	maxSpenders = 20 * reportMost
)

// Budgets is told of spend: keyauth, by its client.
type Budgets interface {
	ReportSpend(ctx context.Context, in *keyauthv1.ReportSpendRequest, opts ...grpc.CallOption) (*keyauthv1.ReportSpendResponse, error)
}

// Sums is who knows what was spent.
type Sums interface {
	SpendOf(ctx context.Context, of []record.Spender) ([]record.Spend, error)
	SpendAfter(ctx context.Context, after record.Spender, since int64, limit int) ([]record.Spend, error)
}

// Spends reports what keys have spent on each day, as the ledger adds it up,
// whenever that has changed. Each report is a whole sum, so it may be repeated,
// come late, and come from several dashboards. It never holds up who notes.
type Spends struct {
	to   Budgets
	from Sums
	log  *slog.Logger

	mu      sync.Mutex
	pending map[record.Spender]bool
	// whole is when all of the month is to be reported next.
	whole time.Time
}

// NewSpends makes one that reports while Run runs, beginning with all of the
// month.
func NewSpends(to Budgets, from Sums, log *slog.Logger) *Spends {
	return &Spends{to: to, from: from, log: log, pending: map[record.Spender]bool{}}
}

// Note takes down whose sums the stored records have changed. What is too old
// for any budget, or of a day that has not come, is left out.
func (s *Spends) Note(all []*record.Record) {
	now := time.Now()
	oldest, newest := oldestDay(now), record.DayOf(now)+1
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all {
		one := record.Spender{Account: r.AccountID, Key: r.KeyID, Day: record.DayOf(r.Time)}
		if r.Cost == nil || *r.Cost <= 0 || one.Day < oldest || one.Day > newest {
			continue
		}
		if len(s.pending) >= maxSpenders && !s.pending[one] {
			s.whole = time.Time{}
			continue
		}
		s.pending[one] = true
	}
}

// oldestDay is the first of the month. Right after its end a month still is of
// interest: its last records are on their way.
func oldestDay(now time.Time) int64 {
	first, _ := record.Month(now.Add(-24 * time.Hour))
	return record.DayOf(first)
}

func (s *Spends) take() []record.Spender {
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch []record.Spender
	for one := range s.pending {
		if len(batch) == reportMost {
			break
		}
		batch = append(batch, one)
		delete(s.pending, one)
	}
	return batch
}

// putBack may go beyond the bound by one batch.
func (s *Spends) putBack(batch []record.Spender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range batch {
		s.pending[one] = true
	}
}
