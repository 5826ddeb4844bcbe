package spend

import (
	"context"
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

// Crossing is a threshold of a budget that a sum has newly reached.
type Crossing struct {
	Sum     Sum
	Limit   int64
	Percent int64
}

// LimitName returns the name of the budget.
func (c Crossing) LimitName() string { return c.Sum.Period.limitName() }

// Notify is called once for each threshold of a budget.
type Notify func(ctx context.Context, c Crossing) error

// notifyThresholds calls notify for each threshold that the sum has newly reached.
func (s *Sum) notifyThresholds(ctx context.Context, at time.Time, budget Budget, notify Notify) error {
	if !s.Period.isCurrentOrRecent(at) {
		return nil
	}
	limit := s.Period.budget(budget)
	for _, percent := range s.takeCrossedThresholds(limit) {
		if err := notify(ctx, Crossing{Sum: *s, Limit: limit, Percent: percent}); err != nil {
			return err
		}
	}
	return nil
}

// Recheck compares the current spend with a changed budget, because the spend may
// already exceed it. It saves the sums even without a notice, because each saved sum
// gets a new version and is sent to the proxies. Before the change they may not have
// received the sum, because sums without a budget are not sent.
func Recheck(ctx context.Context, tx Sums, at time.Time, owner Owner, budget Budget, notify Notify) error {
	day := SumKey{AccountID: owner.AccountID, KeyID: owner.KeyID, Period: DayOf(at)}
	month := day
	month.Period = day.Period.Month()
	sums, err := tx.Sums(ctx, []SumKey{day, month})
	if err != nil {
		return err
	}
	for i := range sums {
		if err := sums[i].notifyThresholds(ctx, at, budget, notify); err != nil {
			return err
		}
	}
	return tx.SaveSums(ctx, sums)
}
