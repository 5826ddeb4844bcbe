package account

import (
	"cmp"
	"context"
	"encoding/json"
	"time"
)

// noticePercents are the percentages of a budget at which a notice is sent.
var noticePercents = [...]int64{80, 100}

// hasReached reports whether spent is at least percent of limit, without overflow.
func hasReached(spent, limit, percent int64) bool {
	whole, rest := limit/100, limit%100
	return spent >= whole*percent+(rest*percent+99)/100
}

// takeCrossedThresholds returns the percentages of limit that the sum has reached
// since the last notice, and marks them as notified. After a raise of the limit,
// all percentages count again.
func (s *Sum) takeCrossedThresholds(limit int64) []int64 {
	before := s.NotifiedPercent
	if limit > s.NotifiedLimit {
		before = 0
	}
	var crossed []int64
	for _, percent := range noticePercents {
		if limit > 0 && percent > before && hasReached(s.NanoUSD, limit, percent) {
			crossed = append(crossed, percent)
			s.NotifiedPercent, s.NotifiedLimit = percent, limit
		}
	}
	return crossed
}

// notifyThresholds queues each due notice of a sum once. owner is the key and the
// account of the sum. It has no key if the sum belongs to the whole account.
func (s *Service) notifyThresholds(ctx context.Context, tx Tx, owner Credential, sum *Sum) error {
	if !sum.Period.isCurrentOrRecent(now()) {
		return nil
	}
	ownerLimits := owner.Account.Limits
	if sum.KeyID != "" {
		ownerLimits = owner.Key.Settings.Limits
	}
	limit := sum.Period.budget(ownerLimits)
	for _, percent := range sum.takeCrossedThresholds(limit) {
		if err := s.queueBudgetNotice(ctx, tx, owner, sum.noticeData(limit, percent)); err != nil {
			return err
		}
	}
	return nil
}

// noticeData returns the content of a notice, for the audit log and the webhook.
func (s *Sum) noticeData(limit, percent int64) auditFields {
	m := auditFields{
		"scope": "account", "name": s.Period.limitName(), "percent": percent, "limit": limit, "spent": s.NanoUSD,
		"period": string(s.Period),
	}
	if s.KeyID != "" {
		m["scope"] = "key"
	}
	return m
}

// queueBudgetNotice records a notice in the audit log, and queues it if the
// account has a webhook.
func (s *Service) queueBudgetNotice(ctx context.Context, tx Tx, owner Credential, data auditFields) error {
	a, k := owner.Account, owner.Key
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
		return recordGivenUp(ctx, tx, n, "too many notices are queued")
	}
	return tx.QueueNotice(ctx, n)
}

// newNotice returns a notice that is due now.
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

// notifyAfterBudgetChange compares the existing spend with a changed budget, because
// the spend may already exceed it. Saving the sums also sends them to the proxies,
// which do not track spend without a budget.
func (s *Service) notifyAfterBudgetChange(ctx context.Context, tx Tx, owner Credential, name SumKey, before Limits) error {
	after := owner.Account.Limits
	if name.KeyID != "" {
		after = owner.Key.Settings.Limits
	}
	if before.NanoUSDPerDay == after.NanoUSDPerDay && before.NanoUSDPerMonth == after.NanoUSDPerMonth {
		return nil
	}
	day := name
	day.Period = dayOf(now())
	month := day
	month.Period = day.Period.Month()
	sums, err := tx.Sums(ctx, []SumKey{day, month})
	if err != nil {
		return err
	}
	for i := range sums {
		if err := s.notifyThresholds(ctx, tx, owner, &sums[i]); err != nil {
			return err
		}
	}
	return tx.SaveSums(ctx, sums)
}
