package account

import (
	"context"
	"time"
)

const (
	// maxSpend bounds one report.
	maxSpend = 1000
	// keepSpend is for how long sums are kept, at least: the months that it
	// reaches into are kept whole.
	keepSpend = 62 * 24 * time.Hour
	// lateSpend is how long after its end a period is still told of.
	lateSpend = time.Hour
)

// Spend is what a key has spent in one UTC day, by the ledger.
type Spend struct {
	AccountID string
	KeyID     string
	Day       string
	NanoUSD   int64
}

// SumName names a sum: of a key, or without one of the whole account.
type SumName struct {
	AccountID string
	KeyID     string
	Period    Period
}

// Sum is what was spent in a period.
type Sum struct {
	SumName
	NanoUSD int64
	// ToldPercent is how much of ToldLimit the last notice was of; 0 when there
	// was none.
	ToldPercent int64
	ToldLimit   int64
}

// Spent is how much of its budgets a key, or without one an account, has used.
type Spent struct {
	AccountID    string
	KeyID        string
	Day          Period
	DayNanoUSD   int64
	MonthNanoUSD int64
	Version      int64
}

// ReportSpend takes what the ledger holds, at most 1000. Of a key and a day the
// highest sum counts, so a report may be repeated and may come late. One of a
// key that is not the account's changes nothing, nor does one of a day that is
// long over or yet to come; it must not hold up the others. A budget that is
// reached by it is noted in the same transaction.
func (s *Service) ReportSpend(ctx context.Context, list []Spend) error {
	if len(list) > maxSpend {
		return invalid("spend", "a report has at most 1000 sums").With("limit", maxSpend)
	}
	at := now()
	highest := plausible(list, at)
	if len(highest) == 0 {
		return nil
	}
	prunes := s.reports.Add(1)%pruneEvery == 1
	return s.write(ctx, func(tx Tx) error {
		if prunes {
			if err := tx.PruneSums(ctx, oldestMonth(at)); err != nil {
				return err
			}
		}
		return s.takeSpend(ctx, tx, highest)
	})
}

func oldestMonth(at time.Time) Period { return dayOf(at.Add(-keepSpend)).Month() }

// plausible are the highest sums of what can be one. The clock of whoever
// reports may be ahead.
func plausible(list []Spend, at time.Time) map[SumName]int64 {
	oldest, newest := oldestMonth(at), dayOf(at.Add(lateSpend))
	highest := map[SumName]int64{}
	for _, one := range list {
		day := Period(one.Day)
		_, err := time.Parse(dayLayout, one.Day)
		if err != nil || day < oldest || day > newest || one.NanoUSD <= 0 || !isID(one.AccountID) || !isID(one.KeyID) {
			continue
		}
		name := SumName{AccountID: one.AccountID, KeyID: one.KeyID, Period: day}
		highest[name] = max(highest[name], one.NanoUSD)
	}
	return highest
}
