package account

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

const (
	// maxBudgets limits the group budgets of an account. Proxies hold them with each key.
	maxBudgets = 100
	// maxListedSpend limits the sums that a list of budgets contains.
	maxListedSpend = 1000
)

// BudgetReader reads group budgets.
type BudgetReader interface {
	// Budgets lists the group budgets of an account by name.
	Budgets(ctx context.Context, accountID string) ([]setting.Budget, error)
	// AccountGroupSpend lists the sums of the account's group budgets in the given periods,
	// the highest first.
	AccountGroupSpend(ctx context.Context, accountID string, periods []spend.Period, limit int) ([]spend.GroupSpend, error)
}

// BudgetWriter saves and removes group budgets. Both append to the change log.
type BudgetWriter interface {
	BudgetReader
	SaveBudget(ctx context.Context, accountID string, b setting.Budget) error
	// RemoveBudget also removes the sums of the budget.
	RemoveBudget(ctx context.Context, accountID, id string) error
}

// GroupBudgets lists the group budgets of the account and what they have spent in the
// current periods.
func (s *Service) GroupBudgets(ctx context.Context, actor access.Actor) ([]setting.Budget, []spend.GroupSpend, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Viewer)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.store.Budgets(ctx, a.ID)
	if err != nil {
		return nil, nil, access.WrapStore(err)
	}
	spent, err := s.store.AccountGroupSpend(ctx, a.ID, spend.CurrentPeriods(access.Now()), maxListedSpend)
	return list, spent, access.WrapStore(err)
}

// SetBudget creates the group budget with this name, or replaces it. If its selector changes,
// it is a new budget with nothing spent. Requires the owner role.
func (s *Service) SetBudget(ctx context.Context, actor access.Actor, b setting.Budget) (setting.Budget, error) {
	if err := b.Validate(); err != nil {
		return b, err
	}
	err := s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		list, err := tx.Budgets(ctx, a.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(old setting.Budget) bool { return old.Name == b.Name })
		if i < 0 {
			if len(list) >= maxBudgets {
				return apperr.New(apperr.InvalidRequest, "the account has reached its limit of 100 group budgets; remove one that is not needed").
					With("limit", maxBudgets)
			}
			b.ID = access.NewID()
			if err := tx.SaveBudget(ctx, a.ID, b); err != nil {
				return err
			}
			return access.RecordEvent(ctx, tx, actor, "budget.create", b.ID, nil, b.AuditFields())
		}
		return replaceBudget(ctx, tx, actor, list[i], &b)
	})
	return b, err
}

func replaceBudget(ctx context.Context, tx Tx, actor access.Actor, old setting.Budget, b *setting.Budget) error {
	if b.ID = old.ID; *b == old {
		return nil
	}
	if old.Kind != b.Kind || old.Value != b.Value {
		b.ID = access.NewID()
		if err := tx.RemoveBudget(ctx, actor.AccountID, old.ID); err != nil {
			return err
		}
	}
	if err := tx.SaveBudget(ctx, actor.AccountID, *b); err != nil {
		return err
	}
	return access.RecordEvent(ctx, tx, actor, "budget.update", b.ID, old.AuditFields(), b.AuditFields())
}

// RemoveBudget removes a group budget by its name or its id. Requires the owner role.
func (s *Service) RemoveBudget(ctx context.Context, actor access.Actor, name string) error {
	return s.write(ctx, func(tx Tx) error {
		a, err := access.Authorize(ctx, tx, actor, access.Owner)
		if err != nil {
			return err
		}
		list, err := tx.Budgets(ctx, a.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(b setting.Budget) bool { return b.Name == name || b.ID == name })
		if i < 0 {
			return access.NotFound("budget")
		}
		if err := tx.RemoveBudget(ctx, a.ID, list[i].ID); err != nil {
			return err
		}
		return access.RecordEvent(ctx, tx, actor, "budget.remove", list[i].ID, list[i].AuditFields(), nil)
	})
}

// GroupSpendSince lists the spend of group budgets that changed after the cursor, in the
// windows for which they have amounts. spend.GroupSince describes the pages.
func (s *Service) GroupSpendSince(ctx context.Context, since spend.GroupCursor) ([]spend.GroupSpend, spend.GroupCursor, error) {
	for {
		page, next, err := spend.GroupSince(ctx, s.store, access.Now(), since)
		if err != nil || len(page) == 0 {
			return nil, next, access.WrapStore(err)
		}
		limited, err := s.dropUnlimited(ctx, page)
		if err != nil || len(limited) > 0 {
			return limited, next, access.WrapStore(err)
		}
		since = next
	}
}

// dropUnlimited drops the sums for which their budgets have no amount. Proxies would keep them
// for nothing.
func (s *Service) dropUnlimited(ctx context.Context, page []spend.GroupSpend) ([]spend.GroupSpend, error) {
	accounts := map[string][]setting.Budget{}
	var limited []spend.GroupSpend
	for _, one := range page {
		list, ok := accounts[one.AccountID]
		if !ok {
			var err error
			if list, err = s.store.Budgets(ctx, one.AccountID); err != nil {
				return nil, err
			}
			accounts[one.AccountID] = list
		}
		id, _, _ := strings.Cut(one.Budget, "/")
		if slices.ContainsFunc(list, func(b setting.Budget) bool { return b.ID == id && one.HasAmount(b.Amounts) }) {
			limited = append(limited, one)
		}
	}
	return limited, nil
}

// findBudgetOwners adds the reported group budgets to owners.
func findBudgetOwners(ctx context.Context, tx Tx, reported map[spend.SumKey]int64, owners map[spend.Owner]spendOwner) error {
	accounts := map[string][]setting.Budget{}
	for name := range reported {
		id, member, ok := name.Owner().Budget()
		if !ok {
			continue
		}
		if err := loadBudgets(ctx, tx, name.AccountID, accounts, owners); err != nil {
			return err
		}
		list := accounts[name.AccountID]
		if i := slices.IndexFunc(list, func(b setting.Budget) bool { return b.ID == id }); i >= 0 {
			owners[name.Owner()] = spendOwner{
				Credential: keyring.Credential{Account: owners[spend.Owner{AccountID: name.AccountID}].Account}, Budget: list[i], Member: member,
			}
		}
	}
	return nil
}

// loadBudgets reads an account and its group budgets once. An account that does not exist has
// none.
func loadBudgets(ctx context.Context, tx Tx, accountID string, known map[string][]setting.Budget, owners map[spend.Owner]spendOwner) error {
	if _, ok := known[accountID]; ok {
		return nil
	}
	a, err := tx.Account(ctx, accountID)
	if errors.Is(err, access.ErrNoRow) {
		known[accountID] = nil
		return nil
	}
	if err != nil {
		return err
	}
	owners[spend.Owner{AccountID: accountID}] = spendOwner{Credential: keyring.Credential{Account: a}}
	known[accountID], err = tx.Budgets(ctx, accountID)
	return err
}
