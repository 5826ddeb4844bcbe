package account

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// maxNotices is how many of an account wait.
	maxNotices = 1000
	// noticesAtOnce is how many webhooks are told at a time.
	noticesAtOnce = 16
	// noticeLease is for how long nobody else takes a notice: longer than a
	// try, so that one of an instance that died is soon taken again.
	noticeLease = time.Minute
	noticeEvery = time.Second
)

// noticeDelays are how long to wait after each try that failed, nearly four
// hours in all. After one more try the notice is given up.
var noticeDelays = [...]time.Duration{
	30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

// Notice is what waits to be told to an account's webhook.
type Notice struct {
	ID        string
	AccountID string
	// Body is JSON.
	Body string
	// Tries counts those that were begun.
	Tries int
	DueAt time.Time
}

// Deliver tells webhooks of notices until ctx ends. Any number of instances may
// do so at once. A notice is told at least once; its id tells repeats apart.
func (s *Service) Deliver(ctx context.Context) {
	if s.webhook == nil {
		return
	}
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	for {
		n, err := s.deliverDue(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "notices wait: the store cannot be asked", "error", err)
		}
		if n > 0 && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// deliverDue tells some of what is due and returns how many it took.
func (s *Service) deliverDue(ctx context.Context) (int, error) {
	at := now()
	if due, err := s.store.NoticeDue(ctx, at); err != nil || !due {
		return 0, err
	}
	var taken []Notice
	err := s.store.Write(ctx, func(tx Tx) (err error) {
		taken, err = tx.TakeNotices(ctx, at, at.Add(noticeLease), noticesAtOnce)
		return err
	})
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	errs := make([]error, len(taken))
	for i, n := range taken {
		wg.Go(func() { errs[i] = s.deliver(ctx, n) })
	}
	wg.Wait()
	return len(taken), errors.Join(errs...)
}

// deliver makes one try. What becomes of a notice that another instance has
// taken since is that one's affair.
func (s *Service) deliver(ctx context.Context, n Notice) error {
	a, err := s.store.Account(ctx, n.AccountID)
	if err != nil {
		return err
	}
	var failure error
	if a.WebhookURL != "" {
		_, failure = s.send(ctx, a, n)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = s.store.Write(ctx, func(tx Tx) error { return settleNotice(ctx, tx, n, failure) })
	if errors.Is(err, ErrNone) {
		return nil
	}
	return err
}

func settleNotice(ctx context.Context, tx Tx, n Notice, failure error) error {
	if failure != nil && n.Tries <= len(noticeDelays) {
		return tx.DelayNotice(ctx, n, now().Add(jittered(noticeDelays[n.Tries-1])))
	}
	if err := tx.DropNotice(ctx, n); err != nil || failure == nil {
		return err
	}
	return giveUp(ctx, tx, n, failure.Error())
}

// giveUp notes that the webhook is not told.
func giveUp(ctx context.Context, tx Tx, n Notice, reason string) error {
	return note(ctx, tx, Actor{AccountID: n.AccountID}, "webhook.give_up", n.ID, nil, members{"tries": n.Tries, "error": reason})
}

// jittered is up to a fifth longer, so that what failed together does not come
// back together.
func jittered(d time.Duration) time.Duration { return d + rand.N(d/5) }
