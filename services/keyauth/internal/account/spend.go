package account

import (
	"context"
	"time"
)

const (
	// maxSpendReport bounds the entries of one report.
	maxSpendReport = 1000
	// spendRetention is the minimum retention of sums. Only whole months are deleted.
	spendRetention = 62 * 24 * time.Hour
	// lateSpendWindow is how long after its end a period can still cause notices.
	lateSpendWindow = time.Hour
)

// Spend is what a key has spent in one UTC day, according to the ledger.
type Spend struct {
	AccountID string
	KeyID     string
	Day       string
	NanoUSD   int64
}

// SumKey identifies a sum: of a key, or of the whole account if KeyID is empty.
type SumKey struct {
	AccountID string
	KeyID     string
	Period    Period
}

// Sum is the amount spent in a period.
type Sum struct {
	SumKey
	NanoUSD int64
	// NotifiedPercent is the percentage of NotifiedLimit in the last notice; 0 if
	// there was none.
	NotifiedPercent int64
	NotifiedLimit   int64
}

// BudgetSpend is how much of its budgets a key has spent. If KeyID is empty, it is
// the spend of the account.
type BudgetSpend struct {
	AccountID    string
	KeyID        string
	Day          Period
	DayNanoUSD   int64
	MonthNanoUSD int64
	Version      int64
}

// ReportSpend stores the spend from the ledger, at most 1000 entries. For a key and
// a day the highest reported value counts, so reports may be repeated or arrive
// late. It ignores entries of keys in another account, of old days and of future
// days, so that they do not block the others. Notices of budgets are queued in the
// same transaction.
func (s *Service) ReportSpend(ctx context.Context, list []Spend) error {
	if len(list) > maxSpendReport {
		return invalidParamError("spend", "a report must have at most 1000 entries").With("limit", maxSpendReport)
	}
	at := now()
	highest := highestPlausible(list, at)
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
		return s.applySpend(ctx, tx, highest)
	})
}

func oldestMonth(at time.Time) Period { return dayOf(at.Add(-spendRetention)).Month() }

// highestPlausible returns the highest valid amount for each key and day. It
// tolerates a reporter whose clock is slightly ahead.
func highestPlausible(list []Spend, at time.Time) map[SumKey]int64 {
	oldest, newest := oldestMonth(at), dayOf(at.Add(lateSpendWindow))
	highest := map[SumKey]int64{}
	for _, one := range list {
		day := Period(one.Day)
		_, err := time.Parse(dayLayout, one.Day)
		if err != nil || day < oldest || day > newest || one.NanoUSD <= 0 || !isID(one.AccountID) || !isID(one.KeyID) {
			continue
		}
		name := SumKey{AccountID: one.AccountID, KeyID: one.KeyID, Period: day}
		highest[name] = max(highest[name], one.NanoUSD)
	}
	return highest
}
