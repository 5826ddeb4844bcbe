package ingest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Run sends reports every second until ctx ends, and then a last time.
func (s *SpendReporter) Run(ctx context.Context) error {
	tick := time.NewTicker(spendInterval)
	defer tick.Stop()
	for failing := false; ; {
		err := s.reportPending(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.log.Warn("reporting spend failed, will retry", "error", err)
		}
		failing = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalReportTimeout)
			defer cancel()
			_ = s.reportPending(last)
			return nil
		}
	}
}

// reportPending sends all pending sums, and the whole month if that is due. If a
// call fails, the sums of that call become pending again.
func (s *SpendReporter) reportPending(ctx context.Context) error {
	if err := s.reportMonthIfDue(ctx); err != nil {
		return err
	}
	for {
		batch := s.takeBatch()
		if len(batch) == 0 {
			return nil
		}
		sums, err := s.from.SpendOf(ctx, batch)
		if err == nil {
			err = s.sendSums(ctx, sums)
		}
		if err != nil {
			s.putBack(batch)
			return err
		}
	}
}

func (s *SpendReporter) reportMonthIfDue(ctx context.Context) error {
	now := time.Now()
	s.mu.Lock()
	due, since := !now.Before(s.nextFullReport), firstReportedDay(now)
	if s.nextFullReport.IsZero() {
		since = oldestAcceptedDay(now)
	}
	if due {
		// Set the next time before the report. If pending overflows during the report,
		// MarkChanged makes another full report due.
		s.nextFullReport = now.Add(fullReportInterval)
	}
	s.mu.Unlock()
	if !due {
		return nil
	}
	err := s.reportPages(ctx, s.from.SpendAfter, since)
	if err == nil {
		err = s.reportPages(ctx, s.from.BudgetSpendAfter, since)
	}
	if err != nil {
		s.mu.Lock()
		s.nextFullReport = time.Time{}
		s.mu.Unlock()
	}
	return err
}

// reportPages sends all pages of a list of sums since a day.
func (s *SpendReporter) reportPages(ctx context.Context, read func(context.Context, record.KeyDay, int64, int) ([]record.Spend, error), since int64) error {
	for after := (record.KeyDay{}); ; {
		page, err := read(ctx, after, since, maxReportItems)
		if err == nil {
			err = s.sendSums(ctx, page)
		}
		if err != nil || len(page) == 0 {
			return err
		}
		after = page[len(page)-1].KeyDay
	}
}

// sendSums sends the sums in one call. If keyauth rejects the call, sendSums
// bisects the sums, so that one invalid sum does not block the others.
func (s *SpendReporter) sendSums(ctx context.Context, sums []record.Spend) error {
	var all []*keyauthv1.Spend
	for _, one := range sums {
		if (one.Key != "" || one.Budget != "") && one.NanoUSD > 0 {
			all = append(all, toReport(one))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return applyOrBisect(all, func(some []*keyauthv1.Spend) error { return s.callReportSpend(ctx, some) }, func(one *keyauthv1.Spend, err error) error {
		s.log.Error("keyauth rejected the spend of a key", "error", err, "account_id", one.GetAccountId(), "key_id", one.GetKeyId(), "budget", one.GetBudget(), "day", one.GetDay())
		return nil
	})
}

func toReport(one record.Spend) *keyauthv1.Spend {
	day := time.Unix(one.Day*daySeconds, 0).UTC().Format(time.DateOnly)
	report := &keyauthv1.Spend{AccountId: one.Account, KeyId: one.Key, Day: day, NanoUsd: one.NanoUSD}
	if hour, budget, ok := strings.Cut(one.Budget, "/"); ok {
		n, _ := strconv.Atoi(hour) // the store has only what BudgetHour returns
		report.Hour, report.Budget = int32(n), budget
	}
	return report
}

func (s *SpendReporter) callReportSpend(ctx context.Context, some []*keyauthv1.Spend) error {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	_, err := s.to.ReportSpend(ctx, &keyauthv1.ReportSpendRequest{Spend: some})
	if apperr.Is(err, apperr.InvalidRequest) || apperr.Is(err, apperr.NotFound) {
		return errors.Join(record.ErrRejected, err)
	}
	return err
}

const daySeconds = 24 * 60 * 60
