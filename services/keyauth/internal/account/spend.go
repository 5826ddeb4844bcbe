package account

import (
	"context"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/services/keyauth/internal/spend"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

// maxSpendEntries limits the entries of one report.
const maxSpendEntries = 1000

// SpendWriter reads and changes spend sums.
type SpendWriter interface {
	spend.Sums
	// Credentials returns the credentials of the given keys, without their last use. It
	// leaves out keys that do not exist.
	Credentials(ctx context.Context, keyIDs []string) ([]keyring.Credential, error)
	// PruneSums deletes the sums of all periods before a month.
	PruneSums(ctx context.Context, before spend.Period) error
}

// ReportSpend stores the spend from the ledger, at most 1000 entries. For each key and
// day the highest reported value counts, so reports may be repeated or arrive late.
// ReportSpend ignores an entry if it is invalid, if its key is not in its account, or if
// its day is too old or starts more than an hour from now. Such an entry does not prevent
// the others from being stored. Budget notices are queued in the same transaction.
func (s *Service) ReportSpend(ctx context.Context, list []spend.Report) error {
	if len(list) > maxSpendEntries {
		return setting.InvalidParam("spend", "a report must have at most 1000 entries").With("limit", maxSpendEntries)
	}
	at := access.Now()
	highest := spend.HighestValidAmounts(list, at)
	maps.DeleteFunc(highest, func(n spend.SumKey, _ int64) bool {
		_, _, group := n.Owner().Budget()
		return !access.IsID(n.AccountID) || !group && !access.IsID(n.KeyID)
	})
	if len(highest) == 0 {
		return nil
	}
	prunes := s.reports.Add(1)%pruneEvery == 1
	return s.write(ctx, func(tx Tx) error {
		if prunes {
			if err := tx.PruneSums(ctx, spend.OldestRetainedMonth(at)); err != nil {
				return err
			}
		}
		return s.applySpend(ctx, tx, highest)
	})
}

// applySpend raises the sums to the reported values and queues the notices that become due.
func (s *Service) applySpend(ctx context.Context, tx Tx, highest map[spend.SumKey]int64) error {
	owners, err := findSpendOwners(ctx, tx, highest)
	if err != nil {
		return err
	}
	budgets := map[spend.Owner]spend.Budget{}
	for name, owner := range owners {
		budgets[name] = owner.Credential.Budget()
		if _, _, group := name.Budget(); group {
			budgets[name] = owner.Budget.Amounts
		}
	}
	return spend.Apply(ctx, tx, access.Now(), highest, budgets, func(ctx context.Context, c spend.Crossing) error {
		return s.queueBudgetNotice(ctx, tx, owners[c.Sum.Owner()], c)
	})
}

// spendOwner is the owner of a sum: a key, an account or a member of a group budget. For an
// account and a group budget, the key of the credential is empty.
type spendOwner struct {
	keyring.Credential
	Budget setting.Budget
	Member string
}

// findSpendOwners returns the reported keys and group budgets and their accounts.
func findSpendOwners(ctx context.Context, tx Tx, reported map[spend.SumKey]int64) (map[spend.Owner]spendOwner, error) {
	keys := map[string]bool{}
	for name := range reported {
		if _, _, group := name.Owner().Budget(); !group {
			keys[name.KeyID] = true
		}
	}
	found, err := tx.Credentials(ctx, slices.Sorted(maps.Keys(keys)))
	if err != nil {
		return nil, err
	}
	owners := map[spend.Owner]spendOwner{}
	for _, c := range found {
		owners[spend.Owner{AccountID: c.Account.ID, KeyID: c.Key.ID}] = spendOwner{Credential: c}
		owners[spend.Owner{AccountID: c.Account.ID}] = spendOwner{Credential: keyring.Credential{Account: c.Account}}
	}
	return owners, findBudgetOwners(ctx, tx, reported, owners)
}

// BudgetSpendSince lists the keys and accounts that have a budget and whose spend
// changed after the cursor. spend.Since describes the pages.
func (s *Service) BudgetSpendSince(ctx context.Context, since spend.Cursor) ([]spend.BudgetSpend, spend.Cursor, error) {
	list, next, err := spend.Since(ctx, s.store, access.Now(), since)
	return list, next, access.WrapStore(err)
}
