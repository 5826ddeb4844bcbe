package account

import (
	"cmp"
	"context"
	"encoding/json"
	"time"
)

// noticePercents are the percentages of a budget at which a notice is sent.
var noticePercents = [...]int64{80, 100}

// hasReached reports whether spent is at least percent of limit. It cannot overflow.
func hasReached(spent, limit, percent int64) bool {
	whole, rest := limit/100, limit%100
	return spent >= whole*percent+(rest*percent+99)/100
}

// takeCrossedThresholds returns the entries of noticePercents that the sum has
// reached since the last notice, and marks them as notified. If the limit was raised
// since then, earlier notices do not count.
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

// notifyThresholds queues a notice for each threshold that the sum has newly
// reached. owner holds the account and the key of the sum. For the sum of a whole
// account, owner.Key is empty.
func (s *Service) notifyThresholds(ctx context.Context, tx auditedOutbox, owner Credential, sum *Sum) error {
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

// queueBudgetNotice records a notice in the audit log. If the account has a webhook,
// the notice is also queued for delivery. If the queue is full, the notice is
// dropped, and the audit log records this.
func (s *Service) queueBudgetNotice(ctx context.Context, tx auditedOutbox, owner Credential, data auditFields) error {
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

// notifyAfterBudgetChange compares the current spend with the changed budget,
// because the spend may already exceed it. It saves the sums even without a notice,
// because each saved sum gets a new version and is sent to the proxies. Before the
// change they may not have received the sum, because sums without a budget are not
// sent.
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
