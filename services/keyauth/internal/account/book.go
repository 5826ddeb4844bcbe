package account

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
)

// book is what a report touches.
type book struct {
	owners  map[owner]Credential
	sums    map[SumName]*Sum
	changed map[SumName]bool
}

// owner is whose a sum is: a key's, or without one an account's.
type owner struct{ accountID, keyID string }

func ownerOf(n SumName) owner { return owner{n.AccountID, n.KeyID} }

// openBook reads what is known; sums of keys that are not the account's are
// taken out of what was reported.
func openBook(ctx context.Context, tx Tx, reported map[SumName]int64) (*book, error) {
	b := &book{owners: map[owner]Credential{}, sums: map[SumName]*Sum{}, changed: map[SumName]bool{}}
	keys := map[string]bool{}
	for name := range reported {
		keys[name.KeyID] = true
	}
	found, err := tx.Credentials(ctx, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		b.owners[owner{c.Account.ID, c.Key.ID}] = c
		b.owners[owner{c.Account.ID, ""}] = Credential{Account: c.Account}
	}
	maps.DeleteFunc(reported, func(n SumName, _ int64) bool { return b.owners[ownerOf(n)].Key.ID == "" })
	for name := range reported {
		for _, n := range name.touched() {
			b.sums[n] = &Sum{SumName: n}
		}
	}
	sums, err := tx.Sums(ctx, slices.Collect(maps.Keys(b.sums)))
	for _, sum := range sums {
		*b.sums[sum.SumName] = sum
	}
	return b, err
}

// touched are the sums that a key's day is in, itself the first.
func (n SumName) touched() [4]SumName {
	month := n.Period.Month()
	return [4]SumName{
		n, {n.AccountID, n.KeyID, month}, {n.AccountID, "", n.Period}, {n.AccountID, "", month},
	}
}

// raise lifts a key's day to nano, and by as much what it is in.
func (b *book) raise(name SumName, nano int64) {
	more := nano - b.sums[name].NanoUSD
	if more <= 0 {
		return
	}
	for _, n := range name.touched() {
		b.sums[n].NanoUSD = saturating(b.sums[n].NanoUSD, more)
		b.changed[n] = true
	}
}

func saturating(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// compare orders sums as the trail should tell of them.
func (n SumName) compare(o SumName) int {
	return cmp.Or(cmp.Compare(n.AccountID, o.AccountID), cmp.Compare(n.KeyID, o.KeyID), cmp.Compare(n.Period, o.Period))
}

// takeSpend lifts the sums to what was reported, and makes the notices of it.
func (s *Service) takeSpend(ctx context.Context, tx Tx, highest map[SumName]int64) error {
	b, err := openBook(ctx, tx, highest)
	if err != nil {
		return err
	}
	for name, nano := range highest {
		b.raise(name, nano)
	}
	changed := slices.SortedFunc(maps.Keys(b.changed), SumName.compare)
	sums := make([]Sum, len(changed))
	for i, name := range changed {
		sum := b.sums[name]
		if err := s.tellSum(ctx, tx, b.owners[ownerOf(name)], sum); err != nil {
			return err
		}
		sums[i] = *sum
	}
	return tx.SaveSums(ctx, sums)
}
