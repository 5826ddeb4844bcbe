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
	// spendInterval is the time between two reports. The budgets in keyauth may be
	// behind the stored spend by that long.
	spendInterval = time.Second
	// fullReportInterval is the time between two reports of the whole month. They
	// include unchanged sums. They also cover records that another dashboard stored,
	// but did not report before it stopped.
	fullReportInterval = 10 * time.Minute
	// spendRetention is how long keyauth accepts spend at least. It deletes only whole months.
	spendRetention = 62 * 24 * time.Hour
	// maxPendingKeyDays is the maximum number of pending sums. It limits memory. If
	// more sums change, the reporter sends everything instead.
	maxPendingKeyDays = 20 * maxReportItems
)

// BudgetService receives spend reports. The keyauth client implements it.
type BudgetService interface {
	ReportSpend(ctx context.Context, in *keyauthv1.ReportSpendRequest, opts ...grpc.CallOption) (*keyauthv1.ReportSpendResponse, error)
}

// SpendSource returns the stored spend.
type SpendSource interface {
	SpendOf(ctx context.Context, of []record.KeyDay) ([]record.Spend, error)
	SpendAfter(ctx context.Context, after record.KeyDay, since int64, limit int) ([]record.Spend, error)
	BudgetSpendAfter(ctx context.Context, after record.KeyDay, since int64, limit int) ([]record.Spend, error)
}

// SpendReporter reports the daily spend of each key, and the hourly spend of each group budget,
// to keyauth whenever the spend changes. Each report contains the full sum of a day or an hour. Reports may therefore
// repeat, arrive late, and come from several dashboards. MarkChanged never waits
// for a report.
type SpendReporter struct {
	to   BudgetService
	from SpendSource
	log  *slog.Logger

	mu sync.Mutex
	// pending holds the keys and days whose spend has changed since the last report.
	pending map[record.KeyDay]bool
	// nextFullReport is the time of the next report of the whole month. If it is zero, the
	// next report has all sums that keyauth accepts.
	nextFullReport time.Time
}

// NewSpendReporter returns a reporter. Run first reports all sums that keyauth accepts, and
// then the changes.
func NewSpendReporter(to BudgetService, from SpendSource, log *slog.Logger) *SpendReporter {
	return &SpendReporter{to: to, from: from, log: log, pending: map[record.KeyDay]bool{}}
}

// MarkChanged notes which daily sums the stored records have changed. It skips
// records without a cost, records that are too old for any budget, and records
// that are dated later than tomorrow.
func (s *SpendReporter) MarkChanged(all []*record.Record) {
	now := time.Now()
	oldest, newest := oldestAcceptedDay(now), record.DayOfTime(now)+1
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range all {
		day := record.DayOfTime(r.Time)
		if r.Cost == nil || *r.Cost <= 0 || day < oldest || day > newest {
			continue
		}
		s.addPending(record.KeyDay{Account: r.AccountID, Key: r.KeyID, Day: day})
		for _, budget := range r.Budgets {
			s.addPending(record.KeyDay{Account: r.AccountID, Budget: record.BudgetHour(r.Time, budget), Day: day})
		}
	}
}

// addPending adds a sum to pending, or makes a full report due if there are too many. The
// caller must hold s.mu.
func (s *SpendReporter) addPending(one record.KeyDay) {
	if len(s.pending) >= maxPendingKeyDays && !s.pending[one] {
		s.nextFullReport = time.Time{}
		return
	}
	s.pending[one] = true
}

// oldestAcceptedDay returns the first day whose spend keyauth accepts. Records that arrive late
// still count in a week or in a prepaid amount.
func oldestAcceptedDay(now time.Time) int64 {
	first, _ := record.MonthBounds(now.Add(-spendRetention))
	return record.DayOfTime(first)
}

// firstReportedDay returns the first day of the month to report. On the first
// day of a month it returns the first day of the previous month, because the last
// records of that month may still be in flight.
func firstReportedDay(now time.Time) int64 {
	first, _ := record.MonthBounds(now.Add(-24 * time.Hour))
	return record.DayOfTime(first)
}

func (s *SpendReporter) takeBatch() []record.KeyDay {
	s.mu.Lock()
	defer s.mu.Unlock()
	var batch []record.KeyDay
	for one := range s.pending {
		if len(batch) == maxReportItems {
			break
		}
		batch = append(batch, one)
		delete(s.pending, one)
	}
	return batch
}

// putBack adds a batch to pending again. pending may then exceed
// maxPendingKeyDays by one batch.
func (s *SpendReporter) putBack(batch []record.KeyDay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range batch {
		s.pending[one] = true
	}
}
