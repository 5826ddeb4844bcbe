package account

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/pkg/saturate"
)

// spendUpdate holds the sums and credentials that one spend report affects.
type spendUpdate struct {
	owners  map[budgetOwner]Credential
	sums    map[SumKey]*Sum
	changed map[SumKey]bool
}

// budgetOwner identifies the key of a sum, or the whole account if keyID is empty.
type budgetOwner struct{ accountID, keyID string }

func ownerOf(n SumKey) budgetOwner { return budgetOwner{n.AccountID, n.KeyID} }

// loadSpendUpdate reads the current sums. It deletes an entry from reported if its key
// does not belong to its account.
func loadSpendUpdate(ctx context.Context, tx SpendWriter, reported map[SumKey]int64) (*spendUpdate, error) {
	u := &spendUpdate{owners: map[budgetOwner]Credential{}, sums: map[SumKey]*Sum{}, changed: map[SumKey]bool{}}
	keys := map[string]bool{}
	for name := range reported {
		keys[name.KeyID] = true
	}
	found, err := tx.Credentials(ctx, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		u.owners[budgetOwner{c.Account.ID, c.Key.ID}] = c
		u.owners[budgetOwner{c.Account.ID, ""}] = Credential{Account: c.Account}
	}
	maps.DeleteFunc(reported, func(n SumKey, _ int64) bool { return u.owners[ownerOf(n)].Key.ID == "" })
	for name := range reported {
		for _, n := range name.affectedSums() {
			u.sums[n] = &Sum{SumKey: n}
		}
	}
	sums, err := tx.Sums(ctx, slices.Collect(maps.Keys(u.sums)))
	for _, sum := range sums {
		*u.sums[sum.SumKey] = sum
	}
	return u, err
}

// affectedSums returns the four sums that include the spend of a key on one day. The first one is the sum n itself.
func (n SumKey) affectedSums() [4]SumKey {
	month := n.Period.Month()
	return [4]SumKey{
		n, {n.AccountID, n.KeyID, month}, {n.AccountID, "", n.Period}, {n.AccountID, "", month},
	}
}

// raiseSum raises the sum of a key's day to nano. It raises the other affected sums by the same difference.
func (u *spendUpdate) raiseSum(name SumKey, nano int64) {
	more := nano - u.sums[name].NanoUSD
	if more <= 0 {
		return
	}
	for _, n := range name.affectedSums() {
		u.sums[n].NanoUSD = saturate.Add(u.sums[n].NanoUSD, more)
		u.changed[n] = true
	}
}

// compare gives the notices of one report a fixed order in the audit log.
func (n SumKey) compare(o SumKey) int {
	return cmp.Or(cmp.Compare(n.AccountID, o.AccountID), cmp.Compare(n.KeyID, o.KeyID), cmp.Compare(n.Period, o.Period))
}

// applySpend raises the sums to the reported values and queues the notices that become due.
func (s *Service) applySpend(ctx context.Context, tx Tx, highest map[SumKey]int64) error {
	u, err := loadSpendUpdate(ctx, tx, highest)
	if err != nil {
		return err
	}
	for name, nano := range highest {
		u.raiseSum(name, nano)
	}
	changed := slices.SortedFunc(maps.Keys(u.changed), SumKey.compare)
	sums := make([]Sum, len(changed))
	for i, name := range changed {
		sum := u.sums[name]
		if err := s.notifyThresholds(ctx, tx, u.owners[ownerOf(name)], sum); err != nil {
			return err
		}
		sums[i] = *sum
	}
	return tx.SaveSums(ctx, sums)
}
