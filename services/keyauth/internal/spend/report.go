package spend

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// Sums reads and saves sums.
type Sums interface {
	// Sums returns the sums that the SumKeys identify. It leaves out sums that do not exist.
	Sums(ctx context.Context, keys []SumKey) ([]Sum, error)
	// SaveSums saves the sums. Each sum gets a new version, in the given order.
	SaveSums(ctx context.Context, sums []Sum) error
}

// OldestRetainedMonth returns the first month whose sums are stored.
func OldestRetainedMonth(at time.Time) Period { return DayOf(at.Add(-retention)).Month() }

// HighestValidAmounts returns the highest valid amount for each key and day, and for each
// group budget and hour. It accepts a
// day that starts within the next hour, because the reporter's clock may be ahead.
func HighestValidAmounts(list []Report, at time.Time) map[SumKey]int64 {
	oldest, newest := OldestRetainedMonth(at), DayOf(at.Add(lateSpendWindow))
	highest := map[SumKey]int64{}
	for _, one := range list {
		day := Period(one.Day)
		_, err := time.Parse(dayLayout, one.Day)
		if err != nil || day < oldest || day > newest || one.NanoUSD <= 0 {
			continue
		}
		sumKey := SumKey{AccountID: one.AccountID, KeyID: one.KeyID, Period: day}
		if one.Budget != "" {
			sumKey.KeyID = GroupOwner("", one.Budget).KeyID
			sumKey.Period = Period(fmt.Sprintf("%sT%02d", day, min(max(0, one.Hour), 23)))
		}
		highest[sumKey] = max(highest[sumKey], one.NanoUSD)
	}
	return highest
}

// update holds the sums and budgets that one report affects.
type update struct {
	budgets map[Owner]Budget
	sums    map[SumKey]*Sum
	changed map[SumKey]bool
}

// loadUpdate reads the current sums. A key that is missing in budgets does not belong to
// the reported account. loadUpdate deletes the entries of such keys from reported.
func loadUpdate(ctx context.Context, tx Sums, reported map[SumKey]int64, budgets map[Owner]Budget) (*update, error) {
	u := &update{budgets: budgets, sums: map[SumKey]*Sum{}, changed: map[SumKey]bool{}}
	maps.DeleteFunc(reported, func(n SumKey, _ int64) bool {
		_, known := budgets[n.Owner()]
		return !known
	})
	for sumKey := range reported {
		for _, affected := range sumKey.affectedSums(budgets[sumKey.Owner()]) {
			u.sums[affected] = &Sum{SumKey: affected}
		}
	}
	sums, err := tx.Sums(ctx, slices.Collect(maps.Keys(u.sums)))
	for _, sum := range sums {
		*u.sums[sum.SumKey] = sum
	}
	return u, err
}

// affectedSums returns the sums that include the spend of a key on one day, or of a group
// budget in one hour. The first one is the sum n itself. The lifetime of a group budget is left
// out without a prepaid amount, because such a sum is never deleted.
func (n SumKey) affectedSums(b Budget) []SumKey {
	if at, err := time.Parse(hourLayout, string(n.Period)); err == nil {
		all := make([]SumKey, 0, 5)
		for _, p := range CurrentPeriods(at) {
			if p != Lifetime || b.NanoUSDTotal > 0 {
				all = append(all, SumKey{n.AccountID, n.KeyID, p})
			}
		}
		return all
	}
	month := n.Period.Month()
	return []SumKey{
		n, {n.AccountID, n.KeyID, month}, {n.AccountID, "", n.Period}, {n.AccountID, "", month},
	}
}

// raiseSum raises the sum of one key and day to amount, in nano-USD. It raises the other affected sums by the same
// difference.
func (u *update) raiseSum(sumKey SumKey, amount int64) {
	more := amount - u.sums[sumKey].NanoUSD
	if more <= 0 {
		return
	}
	for _, affected := range sumKey.affectedSums(u.budgets[sumKey.Owner()]) {
		u.sums[affected].NanoUSD = saturate.Add(u.sums[affected].NanoUSD, more)
		u.changed[affected] = true
	}
}

// compare gives the notices of one report a fixed order in the audit log.
func (n SumKey) compare(o SumKey) int {
	return cmp.Or(cmp.Compare(n.AccountID, o.AccountID), cmp.Compare(n.KeyID, o.KeyID), cmp.Compare(n.Period, o.Period))
}

// Apply raises the sums to the reported values and calls notify for the thresholds
// that they reach. budgets holds the budgets of the reported keys and of their
// accounts. Apply ignores the entries of keys that budgets does not list.
func Apply(ctx context.Context, tx Sums, at time.Time, highest map[SumKey]int64, budgets map[Owner]Budget, notify Notify) error {
	u, err := loadUpdate(ctx, tx, highest, budgets)
	if err != nil {
		return err
	}
	for sumKey, amount := range highest {
		u.raiseSum(sumKey, amount)
	}
	changed := slices.SortedFunc(maps.Keys(u.changed), SumKey.compare)
	sums := make([]Sum, len(changed))
	for i, sumKey := range changed {
		sum := u.sums[sumKey]
		if err := sum.notifyThresholds(ctx, at, u.budgets[sumKey.Owner()], notify); err != nil {
			return err
		}
		sums[i] = *sum
	}
	return tx.SaveSums(ctx, sums)
}
