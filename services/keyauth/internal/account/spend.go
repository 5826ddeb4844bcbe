package account

import (
	"context"
	"time"
)

const (
	// maxSpendEntries limits the entries of one report.
	maxSpendEntries = 1000
	// spendRetention is the minimum time for which sums are stored. Only whole months are deleted.
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

// SumKey identifies the sum of a key. If KeyID is empty, it identifies the sum of the whole account.
type SumKey struct {
	AccountID string
	KeyID     string
	Period    Period
}

// Sum is the amount spent in a period.
type Sum struct {
	SumKey
	NanoUSD int64
	// NotifiedPercent is the percentage in the last notice, and NotifiedLimit is the
	// limit at that time. Both are 0 if there was no notice.
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

// SpendWriter reads and changes spend sums.
type SpendWriter interface {
	// Credentials returns the credentials of the given keys, without their last use. It
	// leaves out keys that do not exist.
	Credentials(ctx context.Context, keyIDs []string) ([]Credential, error)
	// Sums returns the sums that the SumKeys identify. It leaves out sums that do not exist.
	Sums(ctx context.Context, keys []SumKey) ([]Sum, error)
	// SaveSums saves the sums. Each sum gets a new version, in the given order.
	SaveSums(ctx context.Context, sums []Sum) error
	// PruneSums deletes the sums of all periods before a month.
	PruneSums(ctx context.Context, before Period) error
}

// ReportSpend stores the spend from the ledger, at most 1000 entries. For each key and
// day the highest reported value counts, so reports may be repeated or arrive late.
// ReportSpend ignores an entry if its key is not in its account, or if its day is too
// old or in the future. Such an entry does not prevent the others from being stored.
// Budget notices are queued in the same transaction.
func (s *Service) ReportSpend(ctx context.Context, list []Spend) error {
	if len(list) > maxSpendEntries {
		return invalidParamError("spend", "a report must have at most 1000 entries").With("limit", maxSpendEntries)
	}
	at := now()
	highest := highestValidAmounts(list, at)
	if len(highest) == 0 {
		return nil
	}
	prunes := s.reports.Add(1)%pruneEvery == 1
	return s.write(ctx, func(tx Tx) error {
		if prunes {
			if err := tx.PruneSums(ctx, oldestRetainedMonth(at)); err != nil {
				return err
			}
		}
		return s.applySpend(ctx, tx, highest)
	})
}

func oldestRetainedMonth(at time.Time) Period { return dayOf(at.Add(-spendRetention)).Month() }

// highestValidAmounts returns the highest valid amount for each key and day. It accepts a
// day that starts within the next hour, because the reporter's clock may be ahead.
func highestValidAmounts(list []Spend, at time.Time) map[SumKey]int64 {
	oldest, newest := oldestRetainedMonth(at), dayOf(at.Add(lateSpendWindow))
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
