package notice

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	// maxConcurrentDeliveries bounds the concurrent deliveries.
	maxConcurrentDeliveries = 16
	// lease is how long other instances skip a notice that one instance has
	// taken. It is longer than one attempt. If the instance crashes, another one
	// retries the notice after the lease.
	lease    = time.Minute
	interval = time.Second
	// settleTimeout limits how long the results of attempts may be stored after a stop.
	settleTimeout = 2 * time.Second
)

// delays are the delays after each failed attempt, almost four hours in total
// without jitter. If the attempt after the last delay fails, the notice is dropped.
var delays = [...]time.Duration{
	30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
}

// Tx changes the queue in one transaction.
type Tx interface {
	Queue
	// RecordDropped records that a notice was dropped, and why.
	RecordDropped(ctx context.Context, n Notice, reason string) error
}

// Store is the queue and the receivers of its notices.
type Store interface {
	Reader
	// Write runs f in one transaction. It returns ErrTaken if f changes a notice that
	// another instance has taken.
	Write(ctx context.Context, f func(tx Tx) error) error
	// Send makes one attempt. failure says why the receiver did not accept the
	// notice. If the account no longer has a webhook, Send does nothing. err means
	// that no attempt was possible.
	Send(ctx context.Context, n Notice) (failure, err error)
}

// Deliver sends notices to webhooks until ctx ends. Several instances may run
// it at the same time. A notice may be delivered more than once. Receivers recognize
// a repeated notice by its id.
func Deliver(ctx context.Context, s Store, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		n, err := deliverDue(ctx, s)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "notice delivery delayed: store unavailable", "error", err)
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

// deliverDue makes one attempt for each of at most maxConcurrentDeliveries due notices. It returns their number.
func deliverDue(ctx context.Context, s Store) (int, error) {
	at := now()
	if due, err := s.NoticeDue(ctx, at); err != nil || !due {
		return 0, err
	}
	var taken []Notice
	err := s.Write(ctx, func(tx Tx) (err error) {
		taken, err = tx.TakeNotices(ctx, at, at.Add(lease), maxConcurrentDeliveries)
		return err
	})
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	errs := make([]error, len(taken))
	for i, n := range taken {
		wg.Go(func() { errs[i] = deliver(ctx, s, n) })
	}
	wg.Wait()
	return len(taken), errors.Join(errs...)
}

// deliver makes one attempt and stores the result, even if ctx has ended. An attempt that
// a stop interrupted does not count. If the account no longer has a webhook, the notice is
// dropped. If another instance has taken the notice in the meantime, that instance stores
// the result.
func deliver(ctx context.Context, s Store, n Notice) error {
	failure, err := s.Send(ctx, n)
	interrupted := ctx.Err() != nil && (failure != nil || err != nil)
	if err != nil && !interrupted {
		return err
	}
	ctx, cancel := outlive(ctx, settleTimeout)
	defer cancel()
	err = s.Write(ctx, func(tx Tx) error {
		if interrupted {
			return tx.ReturnNotice(ctx, n, now())
		}
		return settle(ctx, tx, n, failure)
	})
	if errors.Is(err, ErrTaken) {
		return nil
	}
	return err
}

// outlive returns a context that ends some time after ctx.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

func settle(ctx context.Context, tx Tx, n Notice, failure error) error {
	if failure != nil && n.Tries <= len(delays) {
		return tx.DelayNotice(ctx, n, now().Add(addJitter(delays[n.Tries-1])))
	}
	if err := tx.DropNotice(ctx, n); err != nil || failure == nil {
		return err
	}
	return tx.RecordDropped(ctx, n, failure.Error())
}

// addJitter lengthens d by up to a fifth, so that deliveries that failed together
// are not retried together.
func addJitter(d time.Duration) time.Duration { return d + rand.N(d/5) }

// now returns the time with the precision of the store.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }
