package account

import (
	"cmp"
	"context"

	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func budgetNoticeData(owner spendOwner, c spend.Crossing) audit.Fields {
	m := audit.Fields{
		"scope": "account", "name": c.LimitName(), "percent": c.Percent, "limit": c.Limit, "spent": c.Sum.NanoUSD,
		"period": string(c.Sum.Period),
	}
	switch {
	case owner.Budget.ID != "":
		m["scope"], m["budget"] = "budget", owner.Budget.Name
		if owner.Member != "" {
			m["member"] = owner.Member
		}
	case c.Sum.KeyID != "":
		m["scope"] = "key"
	}
	return m
}

// queueBudgetNotice records a notice in the audit log. If the account has a webhook,
// the notice is also queued for delivery. If the queue is full, the notice is
// dropped, and the audit log records this.
func (s *Service) queueBudgetNotice(ctx context.Context, tx auditedQueue, owner spendOwner, c spend.Crossing) error {
	a, k := owner.Account, owner.Key
	data := budgetNoticeData(owner, c)
	subject := cmp.Or(owner.Budget.ID, k.ID, a.ID)
	if err := access.RecordEvent(ctx, tx, access.Actor{AccountID: a.ID}, "budget.notice", subject, nil, data); err != nil {
		return err
	}
	if a.WebhookURL == "" {
		return nil
	}
	if k.ID != "" {
		data["key_id"], data["key_name"] = k.ID, k.Settings.Name
	}
	n, err := notice.New(access.NewID(), a.ID, "budget.notice", access.Now(), data)
	if err != nil {
		return err
	}
	queued, err := notice.Enqueue(ctx, tx, n)
	if err == nil && !queued {
		return recordDroppedNotice(ctx, tx, n, "too many notices are queued")
	}
	return err
}

// notifyAfterBudgetChange compares the current spend of a key, or of an account if
// owner has no key, with its changed budget.
func (s *Service) notifyAfterBudgetChange(ctx context.Context, tx keyring.Tx, owner keyring.Credential, before setting.Limits) error {
	after := owner.Budget()
	if before.NanoUSDPerDay == after.NanoUSDPerDay && before.NanoUSDPerMonth == after.NanoUSDPerMonth {
		return nil
	}
	name := spend.Owner{AccountID: owner.Account.ID, KeyID: owner.Key.ID}
	return spend.Recheck(ctx, tx, access.Now(), name, after, func(ctx context.Context, c spend.Crossing) error {
		return s.queueBudgetNotice(ctx, tx, spendOwner{Credential: owner}, c)
	})
}
