package account

import (
	"context"
	"reflect"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

const (
	defaultAccountPage = 100
	maxAccountPage     = 1000
)

// Account returns the actor's account. Only owners see the full webhook URL.
func (s *Service) Account(ctx context.Context, actor access.Actor) (access.Account, error) {
	a, err := access.Authorize(ctx, s.store, actor, access.Owner)
	if !apperr.Is(err, apperr.AuthForbidden) {
		return a, err
	}
	a, err = access.Authorize(ctx, s.store, actor, access.Viewer)
	return a.WithoutWebhookPath(), err
}

// UpdateAccount changes the fields that mask lists: name, baseline_model, capture,
// content_days, webhook_url, allow_experiments, limits, or a single limit such as
// limits.tokens_per_minute. Requires the owner role.
func (s *Service) UpdateAccount(ctx context.Context, actor access.Actor, values access.Account, mask []string) (access.Account, error) {
	var a access.Account
	err := s.write(ctx, func(tx Tx) (err error) {
		if a, err = access.Authorize(ctx, tx, actor, access.Owner); err != nil {
			return err
		}
		before := a
		if err := accountFields.Apply(&a, values, mask); err != nil {
			return err
		}
		if err := s.validateAccountChange(actor, before, &a); err != nil {
			return err
		}
		if reflect.DeepEqual(before, a) {
			return nil
		}
		if err := tx.SaveAccount(ctx, a); err != nil {
			return err
		}
		if err := access.RecordEvent(ctx, tx, actor, "account.update", a.ID, before.AuditFields(), a.AuditFields()); err != nil {
			return err
		}
		return s.notifyAfterBudgetChange(ctx, tx, keyring.Credential{Account: a}, before.Limits)
	})
	return a, err
}

// validateAccountChange checks the webhook and the budget only if they change. Their
// rules depend on the installation. If the rules became stricter, an account could
// otherwise not even change its name.
func (s *Service) validateAccountChange(actor access.Actor, before access.Account, a *access.Account) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if a.WebhookURL != before.WebhookURL && a.WebhookURL != "" {
		if err := notice.CheckURL(a.WebhookURL, s.privateWebhooks); err != nil {
			return err
		}
	}
	if actor.UserID == "" || a.Operator {
		return nil
	}
	return s.checkBudgetRaise(before.Limits.NanoUSDPerMonth, a.Limits.NanoUSDPerMonth)
}

// checkBudgetRaise prevents users from raising their monthly budget above the default
// budget. Otherwise a newly registered user could spend without limit. A budget above
// the default was set by the operator and may stay. An account without a budget is not
// restricted.
func (s *Service) checkBudgetRaise(before, after int64) error {
	if s.defaultBudget == 0 || after == before {
		return nil
	}
	if most := max(before, s.defaultBudget); before != 0 && (after == 0 || after > most) {
		return apperr.New(apperr.AuthForbidden, "only the operator can raise the monthly budget above this limit").
			With("limit", most)
	}
	return nil
}

// Accounts lists all accounts by id, starting after the given id. A limit of 0
// means 100, and the maximum is 1000. The second result is the next value for after;
// it is empty at the end. Only the operator may call it.
func (s *Service) Accounts(ctx context.Context, actor access.Actor, after string, limit int) ([]access.Account, string, error) {
	if err := s.requireOperator(ctx, actor); err != nil {
		return nil, "", err
	}
	if after != "" && !access.IsID(after) {
		return nil, "", setting.InvalidParam("after", "after must be an account id")
	}
	limit = clampPageSize(limit, defaultAccountPage, maxAccountPage)
	all, err := s.store.Accounts(ctx, after, limit+1)
	if err != nil {
		return nil, "", access.WrapStore(err)
	}
	if len(all) <= limit {
		return all, "", nil
	}
	return all[:limit], all[limit-1].ID, nil
}

// requireOperator returns nil for the operator's command line and for owners of
// the operator's account. For owners of other accounts it returns NOT_FOUND, and for
// users with other roles AUTH_FORBIDDEN.
func (s *Service) requireOperator(ctx context.Context, actor access.Actor) error {
	if actor.UserID == "" {
		return nil
	}
	a, err := access.Authorize(ctx, s.store, actor, access.Owner)
	if err == nil && !a.Operator {
		return access.NotFound("account")
	}
	return err
}

var accountFields = setting.WithLimits(setting.Fields[access.Account]{
	"name":              func(to *access.Account, from access.Account) { to.Name = from.Name },
	"baseline_model":    func(to *access.Account, from access.Account) { to.BaselineModel = from.BaselineModel },
	"capture":           func(to *access.Account, from access.Account) { to.Capture = from.Capture },
	"content_days":      func(to *access.Account, from access.Account) { to.ContentDays = from.ContentDays },
	"webhook_url":       func(to *access.Account, from access.Account) { to.WebhookURL = from.WebhookURL },
	"allow_experiments": func(to *access.Account, from access.Account) { to.AllowExperiments = from.AllowExperiments },
}, func(a *access.Account) *setting.Limits { return &a.Limits })
