package ingest

import (
	"context"
	"errors"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Run reports until ctx ends, and then once more.
func (s *Spends) Run(ctx context.Context) error {
	tick := time.NewTicker(spendEvery)
	defer tick.Stop()
	for away := false; ; {
		err := s.report(ctx)
		if err != nil && !away && ctx.Err() == nil {
			s.log.Warn("spend cannot be reported; it is kept", "error", err)
		}
		away = err != nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
			defer cancel()
			_ = s.report(last)
			return nil
		}
	}
}

// report sends all that is to be sent. What cannot be is kept.
func (s *Spends) report(ctx context.Context) error {
	if err := s.month(ctx); err != nil {
		return err
	}
	for {
		batch := s.take()
		if len(batch) == 0 {
			return nil
		}
		sums, err := s.from.SpendOf(ctx, batch)
		if err == nil {
			err = s.send(ctx, sums)
		}
		if err != nil {
			s.putBack(batch)
			return err
		}
	}
}

// month reports all of the month if it is time.
func (s *Spends) month(ctx context.Context) error {
	now := time.Now()
	s.mu.Lock()
	due := !now.Before(s.whole)
	if due { // who notes too much from here on asks for it again
		s.whole = now.Add(wholeEvery)
	}
	s.mu.Unlock()
	if !due {
		return nil
	}
	for after := (record.Spender{}); ; {
		page, err := s.from.SpendAfter(ctx, after, oldestDay(now), reportMost)
		if err == nil {
			err = s.send(ctx, page)
		}
		if err != nil {
			s.mu.Lock()
			s.whole = time.Time{}
			s.mu.Unlock()
			return err
		}
		if len(page) == 0 {
			return nil
		}
		after = page[len(page)-1].Spender
	}
}

// send reports sums, in one call unless some are refused: one that keyauth does
// not take never holds up the others.
func (s *Spends) send(ctx context.Context, sums []record.Spend) error {
	var all []*keyauthv1.Spend
	for _, one := range sums {
		if one.Key != "" && one.NanoUSD > 0 {
			day := time.Unix(one.Day*daySeconds, 0).UTC().Format(time.DateOnly)
			all = append(all, &keyauthv1.Spend{AccountId: one.Account, KeyId: one.Key, Day: day, NanoUsd: one.NanoUSD})
		}
	}
	if len(all) == 0 {
		return nil
	}
	return apart(all, func(some []*keyauthv1.Spend) error { return s.call(ctx, some) }, func(one *keyauthv1.Spend, err error) error {
		s.log.Error("spend of a key is refused", "error", err, "account_id", one.GetAccountId(), "key_id", one.GetKeyId(), "day", one.GetDay())
		return nil
	})
}

func (s *Spends) call(ctx context.Context, some []*keyauthv1.Spend) error {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	_, err := s.to.ReportSpend(ctx, &keyauthv1.ReportSpendRequest{Spend: some})
	if apperr.Is(err, apperr.InvalidRequest) || apperr.Is(err, apperr.NotFound) {
		return errors.Join(record.ErrRefused, err)
	}
	return err
}

const daySeconds = 24 * 60 * 60
