package account

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

func budgetNoticeData(c spend.Crossing) auditFields {
	m := auditFields{
		"scope": "account", "name": c.LimitName(), "percent": c.Percent, "limit": c.Limit, "spent": c.Sum.NanoUSD,
		"period": string(c.Sum.Period),
	}
	if c.Sum.KeyID != "" {
		m["scope"] = "key"
	}
	return m
}

// queueBudgetNotice records a notice in the audit log. If the account has a webhook,
// the notice is also queued for delivery. If the queue is full, the notice is
// dropped, and the audit log records this.
func (s *Service) queueBudgetNotice(ctx context.Context, tx auditedOutbox, owner Credential, c spend.Crossing) error {
	a, k := owner.Account, owner.Key
	data := budgetNoticeData(c)
	subject := cmp.Or(k.ID, a.ID)
	if err := recordEvent(ctx, tx, Actor{AccountID: a.ID}, "budget.notice", subject, nil, data); err != nil {
		return err
	}
	if a.WebhookURL == "" {
		return nil
	}
	if k.ID != "" {
		data["key_id"], data["key_name"] = k.ID, k.Settings.Name
	}
	n, err := newNotice(a.ID, "budget.notice", data)
	if err != nil {
		return err
	}
	waiting, err := tx.CountNotices(ctx, a.ID)
	if err != nil {
		return err
	}
	if waiting >= maxNotices {
		return recordDroppedNotice(ctx, tx, n, "too many notices are queued")
	}
	return tx.QueueNotice(ctx, n)
}

func newNotice(accountID, kind string, data auditFields) (Notice, error) {
	n := Notice{ID: newID(), AccountID: accountID, DueAt: now()}
	body, err := json.Marshal(struct {
		ID        string      `json:"id"`
		Type      string      `json:"type"`
		Time      time.Time   `json:"time"`
		AccountID string      `json:"account_id"`
		Data      auditFields `json:"data"`
	}{n.ID, kind, n.DueAt, accountID, data})
	n.Body = string(body)
	return n, err
}

// notifyAfterBudgetChange compares the current spend of a key, or of an account if
// owner has no key, with its changed budget.
func (s *Service) notifyAfterBudgetChange(ctx context.Context, tx Tx, owner Credential, before Limits) error {
	after := owner.budget()
	if before.NanoUSDPerDay == after.NanoUSDPerDay && before.NanoUSDPerMonth == after.NanoUSDPerMonth {
		return nil
	}
	name := spend.Owner{AccountID: owner.Account.ID, KeyID: owner.Key.ID}
	return spend.Recheck(ctx, tx, now(), name, after, func(ctx context.Context, c spend.Crossing) error {
		return s.queueBudgetNotice(ctx, tx, owner, c)
	})
}
