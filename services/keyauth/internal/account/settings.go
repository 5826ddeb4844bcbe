package account

import (
	"context"
	"reflect"
)

const (
	accountsShown = 100
	accountsMost  = 1000
)

// Account returns the actor's account.
func (s *Service) Account(ctx context.Context, actor Actor) (Account, error) {
	return authorize(ctx, s.store, actor, Viewer)
}

// UpdateAccount changes the fields named by mask: name, baseline_model,
// capture, content_days. Owners alone.
func (s *Service) UpdateAccount(ctx context.Context, actor Actor, values Account, mask []string) (Account, error) {
	var a Account
	err := s.write(ctx, func(tx Tx) (err error) {
		if a, err = authorize(ctx, tx, actor, Owner); err != nil {
			return err
		}
		before := a
		if err := applyMask(accountFields, &a, values, mask); err != nil {
			return err
		}
		if err := a.check(); err != nil {
			return err
		}
		if reflect.DeepEqual(before, a) {
			return nil
		}
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		return note(ctx, tx, actor, "account.update", a.ID, before.members(), a.members())
	})
	return a, err
}

// Accounts is the operator's: all accounts by id, a page of at most limit after
// an id; 0 means 100, and it is never more than 1000. It returns where to go
// on, empty at the end.
func (s *Service) Accounts(ctx context.Context, actor Actor, after string, limit int) ([]Account, string, error) {
	if err := s.operates(ctx, actor); err != nil {
		return nil, "", err
	}
	if after != "" && !isID(after) {
		return nil, "", invalid("after", "a page begins after an account's id")
	}
	limit = pageSize(limit, accountsShown, accountsMost)
	all, err := s.store.Accounts(ctx, after, limit+1)
	if err != nil {
		return nil, "", storeError(err)
	}
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], all[limit-1].ID, nil
}

// operates tells whether the actor is the operator's command line, or an owner
// of the operator's account. To anybody else there is nothing here.
func (s *Service) operates(ctx context.Context, actor Actor) error {
	if actor.UserID == "" {
		return nil
	}
	a, err := authorize(ctx, s.store, actor, Owner)
	if err == nil && !a.Operator {
		return notFound("account")
	}
	return err
}

var accountFields = map[string]func(to *Account, from Account){
	"name":           func(to *Account, from Account) { to.Name = from.Name },
	"baseline_model": func(to *Account, from Account) { to.BaselineModel = from.BaselineModel },
	"capture":        func(to *Account, from Account) { to.Capture = from.Capture },
	"content_days":   func(to *Account, from Account) { to.ContentDays = from.ContentDays },
}
