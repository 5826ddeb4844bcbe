package store_test

import (
	"context"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// spendReadings reads the spend of a month, a week and a day by each grouping of the page.
func (l ledger) spendReadings(s *store.Store) (all []reading) {
	spend := func(by record.GroupBy, days int) {
		all = append(all, reading{name: fmt.Sprintf("spend of %d days by %s", days, by), most: filtered, read: func(ctx context.Context, n int) (int, error) {
			now := time.Now()
			from := now.AddDate(0, 0, -days).Add(time.Duration(n) * time.Minute)
			report, err := s.Spend(ctx, record.Query{Account: busy, From: from, To: now}, by)
			return len(report.Groups), err
		}})
	}
	for _, by := range []record.GroupBy{record.GroupKey, record.GroupModel, record.GroupProvider} {
		spend(by, 30)
	}
	for _, by := range []record.GroupBy{record.GroupAgent, record.GroupUser, record.GroupTag, record.GroupSession} {
		spend(by, 1)
		spend(by, 7)
		spend(by, 30)
	}
	return append(all, reading{name: "daily spend of a month", most: filtered, read: func(ctx context.Context, _ int) (int, error) {
		today := record.DayOfTime(time.Now())
		days, err := s.DailySpend(ctx, busy, today-30, today)
		return len(days), err
	}})
}
