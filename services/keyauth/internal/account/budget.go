package account

import (
	"cmp"
	"context"
	"encoding/json"
	"time"
)

// told are the parts of a budget that notices are made of, in percent.
var told = [...]int64{80, 100}

// reached reports whether a part of a limit was spent, without overflow.
func reached(spent, limit, percent int64) bool {
	whole, rest := limit/100, limit%100
	return spent >= whole*percent+(rest*percent+99)/100
}

// crossed are the parts of a limit that the sum has reached and that nobody was
// told of; it takes them for told. A limit that was raised since is told anew.
func (s *Sum) crossed(limit int64) []int64 {
	before := s.ToldPercent
	if limit > s.ToldLimit {
		before = 0
	}
	var parts []int64
	for _, percent := range told {
		if limit > 0 && percent > before && reached(s.NanoUSD, limit, percent) {
			parts = append(parts, percent)
			s.ToldPercent, s.ToldLimit = percent, limit
		}
	}
	return parts
}

// tellSum makes the notices of a sum that are due, once each. Whose it is has a
// key, or not if it is the account's.
func (s *Service) tellSum(ctx context.Context, tx Tx, whose Credential, sum *Sum) error {
	if !sum.Period.near(now()) {
		return nil
	}
	of := whose.Account.Limits
	if sum.KeyID != "" {
		of = whose.Key.Settings.Limits
	}
	limit := sum.Period.budget(of)
	for _, percent := range sum.crossed(limit) {
		if err := s.notify(ctx, tx, whose, sum.about(limit, percent)); err != nil {
			return err
		}
	}
	return nil
}

// about is what a notice says, in the trail and to the webhook.
func (s *Sum) about(limit, percent int64) members {
	m := members{
		"scope": "account", "name": s.Period.meter(), "percent": percent, "limit": limit, "spent": s.NanoUSD,
		"period": string(s.Period),
	}
	if s.KeyID != "" {
		m["scope"] = "key"
	}
	return m
}

// notify notes a notice in the trail, and has it wait for the webhook if there
// is one.
func (s *Service) notify(ctx context.Context, tx Tx, whose Credential, about members) error {
	a, k := whose.Account, whose.Key
	subject := cmp.Or(k.ID, a.ID)
	if err := note(ctx, tx, Actor{AccountID: a.ID}, "budget.notice", subject, nil, about); err != nil {
		return err
	}
	if a.WebhookURL == "" {
		return nil
	}
	if k.ID != "" {
		about["key_id"], about["key_name"] = k.ID, k.Settings.Name
	}
	n, err := newNotice(a.ID, "budget.notice", about)
	if err != nil {
		return err
	}
	waiting, err := tx.CountNotices(ctx, a.ID)
	if err != nil {
		return err
	}
	if waiting >= maxNotices {
		return giveUp(ctx, tx, n, "too many notices wait")
	}
	return tx.QueueNotice(ctx, n)
}

// newNotice is due at once.
func newNotice(accountID, kind string, data members) (Notice, error) {
	n := Notice{ID: newID(), AccountID: accountID, DueAt: now()}
	body, err := json.Marshal(struct {
		ID        string    `json:"id"`
		Type      string    `json:"type"`
		Time      time.Time `json:"time"`
		AccountID string    `json:"account_id"`
		Data      members   `json:"data"`
	}{n.ID, kind, n.DueAt, accountID, data})
	n.Body = string(body)
	return n, err
}

// budgetSet looks at what was spent already when a budget is set: it may have
// been reached by that, and those who watch do not know how much it is.
func (s *Service) budgetSet(ctx context.Context, tx Tx, whose Credential, name SumName, before Limits) error {
	after := whose.Account.Limits
	if name.KeyID != "" {
		after = whose.Key.Settings.Limits
	}
	if before.NanoUSDPerDay == after.NanoUSDPerDay && before.NanoUSDPerMonth == after.NanoUSDPerMonth {
		return nil
	}
	day := name
	day.Period = dayOf(now())
	month := day
	month.Period = day.Period.Month()
	sums, err := tx.Sums(ctx, []SumName{day, month})
	if err != nil {
		return err
	}
	for i := range sums {
		if err := s.tellSum(ctx, tx, whose, &sums[i]); err != nil {
			return err
		}
	}
	return tx.SaveSums(ctx, sums)
}
