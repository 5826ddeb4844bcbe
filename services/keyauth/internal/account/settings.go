package account

import (
	"context"
	"reflect"

	"github.com/signalbox/signalbox/pkg/apperr"
)

const (
	accountsShown = 100
	accountsMost  = 1000
)

// Account returns the actor's account, discreet for all but owners.
func (s *Service) Account(ctx context.Context, actor Actor) (Account, error) {
	a, err := authorize(ctx, s.store, actor, Owner)
	if !apperr.Is(err, apperr.AuthForbidden) {
		return a, err
	}
	a, err = authorize(ctx, s.store, actor, Viewer)
	return a.Discreet(), err
}

// UpdateAccount changes the fields named by mask: name, baseline_model,
// capture, content_days, webhook_url, limits or one of them such as
// limits.tokens_per_minute. Owners alone.
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
		if err := s.checkAccount(actor, before, &a); err != nil {
			return err
		}
		if reflect.DeepEqual(before, a) {
			return nil
		}
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		if err := note(ctx, tx, actor, "account.update", a.ID, before.members(), a.members()); err != nil {
			return err
		}
		return s.budgetSet(ctx, tx, Credential{Account: a}, SumName{AccountID: a.ID}, before.Limits)
	})
	return a, err
}

// checkAccount checks of the webhook and the budget only what is new: settings
// of the installation may have changed since.
func (s *Service) checkAccount(actor Actor, before Account, a *Account) error {
	if err := a.check(); err != nil {
		return err
	}
	if a.WebhookURL != before.WebhookURL && a.WebhookURL != "" {
		if err := s.checkWebhook(a.WebhookURL); err != nil {
			return err
		}
	}
	if actor.UserID == "" || a.Operator {
		return nil
	}
	return s.checkRaise(before.Limits.NanoUSDPerMonth, a.Limits.NanoUSDPerMonth)
}

// checkRaise keeps an account from lifting the budget that new accounts are
// given: whoever registers could spend what they like.
func (s *Service) checkRaise(before, after int64) error {
	if s.defaultBudget == 0 || after == before {
		return nil
	}
	if most := max(before, s.defaultBudget); before != 0 && (after == 0 || after > most) {
		return apperr.New(apperr.AuthForbidden, "the operator alone raises the monthly budget of an account beyond this").
			With("limit", most)
	}
	return nil
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

var accountFields = withLimits(map[string]func(to *Account, from Account){
	"name":           func(to *Account, from Account) { to.Name = from.Name },
	"baseline_model": func(to *Account, from Account) { to.BaselineModel = from.BaselineModel },
	"capture":        func(to *Account, from Account) { to.Capture = from.Capture },
	"content_days":   func(to *Account, from Account) { to.ContentDays = from.ContentDays },
	"webhook_url":    func(to *Account, from Account) { to.WebhookURL = from.WebhookURL },
}, func(a *Account) *Limits { return &a.Limits })
