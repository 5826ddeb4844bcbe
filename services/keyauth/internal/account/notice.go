package account

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// maxNotices bounds the queued notices of an account.
	maxNotices = 1000
	// maxConcurrentDeliveries bounds the concurrent deliveries.
	maxConcurrentDeliveries = 16
	// noticeLease is how long other instances skip a notice that one instance has
	// taken. It is longer than one attempt. If the instance crashes, another one
	// retries the notice after the lease.
	noticeLease    = time.Minute
	noticeInterval = time.Second
)

// noticeDelays are the delays after each failed attempt, almost four hours in
// total. If the attempt after the last delay fails, the notice is dropped.
var noticeDelays = [...]time.Duration{
	30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

// Notice is a message that waits for delivery to the webhook of an account.
type Notice struct {
	ID        string
	AccountID string
	// Body is JSON.
	Body string
	// Tries counts the started attempts.
	Tries int
	DueAt time.Time
}

// NoticeReader looks into the queue of notices.
type NoticeReader interface {
	// NoticeDue reports whether any notice is due at the given time.
	NoticeDue(ctx context.Context, at time.Time) (bool, error)
}

// Outbox is the queue of notices that wait for delivery to a webhook.
type Outbox interface {
	QueueNotice(ctx context.Context, n Notice) error
	// CountNotices counts the queued notices of an account.
	CountNotices(ctx context.Context, accountID string) (int, error)
	// TakeNotices takes at most limit due notices and increments their tries. Other
	// instances skip these notices until the given time. It takes only the oldest due
	// notice of each account. Accounts with the fewest due notices come first.
	TakeNotices(ctx context.Context, at, until time.Time, limit int) ([]Notice, error)
	// DelayNotice sets a new due time. It returns ErrNoRow if another instance has taken
	// the notice in the meantime.
	DelayNotice(ctx context.Context, n Notice, until time.Time) error
	// DropNotice deletes a notice. It returns ErrNoRow if another instance has taken the notice in the meantime.
	DropNotice(ctx context.Context, n Notice) error
}

// auditedOutbox changes the queue of notices and records the changes.
type auditedOutbox interface {
	Outbox
	auditWriter
}

// DeliverNotices sends notices to webhooks until ctx ends. Several instances may run
// it at the same time. A notice may be delivered more than once. Receivers recognize
// a repeated notice by its id.
func (s *Service) DeliverNotices(ctx context.Context) {
	if s.webhook == nil {
		return
	}
	tick := time.NewTicker(noticeInterval)
	defer tick.Stop()
	for {
		n, err := s.deliverDueNotices(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.WarnContext(ctx, "notice delivery delayed: store unavailable", "error", err)
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

// deliverDueNotices makes one attempt for each of at most maxConcurrentDeliveries due notices. It returns their number.
func (s *Service) deliverDueNotices(ctx context.Context) (int, error) {
	at := now()
	if due, err := s.store.NoticeDue(ctx, at); err != nil || !due {
		return 0, err
	}
	var taken []Notice
	err := s.store.Write(ctx, func(tx Tx) (err error) {
		taken, err = tx.TakeNotices(ctx, at, at.Add(noticeLease), maxConcurrentDeliveries)
		return err
	})
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	errs := make([]error, len(taken))
	for i, n := range taken {
		wg.Go(func() { errs[i] = s.deliverNotice(ctx, n) })
	}
	wg.Wait()
	return len(taken), errors.Join(errs...)
}

// deliverNotice makes one attempt and stores the result. If the account no longer has
// a webhook, the notice is dropped. If another instance has taken the notice in the
// meantime, that instance stores the result.
func (s *Service) deliverNotice(ctx context.Context, n Notice) error {
	a, err := s.store.Account(ctx, n.AccountID)
	if err != nil {
		return err
	}
	var failure error
	if a.WebhookURL != "" {
		_, failure = s.sendNotice(ctx, a, n)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = s.store.Write(ctx, func(tx Tx) error { return settleNotice(ctx, tx, n, failure) })
	if errors.Is(err, ErrNoRow) {
		return nil
	}
	return err
}

func settleNotice(ctx context.Context, tx auditedOutbox, n Notice, failure error) error {
	if failure != nil && n.Tries <= len(noticeDelays) {
		return tx.DelayNotice(ctx, n, now().Add(addJitter(noticeDelays[n.Tries-1])))
	}
	if err := tx.DropNotice(ctx, n); err != nil || failure == nil {
		return err
	}
	return recordDroppedNotice(ctx, tx, n, failure.Error())
}

func recordDroppedNotice(ctx context.Context, tx auditWriter, n Notice, reason string) error {
	return recordEvent(ctx, tx, Actor{AccountID: n.AccountID}, "webhook.give_up", n.ID, nil, auditFields{"tries": n.Tries, "error": reason})
}

// addJitter lengthens d by up to a fifth, so that deliveries that failed together
// are not retried together.
func addJitter(d time.Duration) time.Duration { return d + rand.N(d/5) }
