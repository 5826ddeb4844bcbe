package alert

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	deliverInterval = time.Second
	// maxConcurrent bounds the deliveries in progress of one process.
	maxConcurrent = 8
	// sendTimeout bounds one attempt.
	sendTimeout = 20 * time.Second
	// DeliveryLease is how long other processes skip a delivery that one has taken. If that
	// process dies, another one sends it after the lease.
	DeliveryLease = time.Minute
	// finishTimeout bounds how long a process that ends waits to store the result of an attempt.
	finishTimeout = 5 * time.Second
)

// delays are the delays after each failed attempt, almost an hour in total. If the attempt
// after the last delay fails, the delivery is dropped.
var delays = [...]time.Duration{10 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute}

// ErrTaken means that another process has taken the delivery in the meantime.
var ErrTaken = errors.New("the delivery was taken by another process")

// Queue is the store of deliveries.
type Queue interface {
	// TakeAlertDeliveries takes at most limit due deliveries, increments their tries, and makes
	// other processes skip them until the given time. It takes only the oldest due one of each
	// channel, so that a slow channel cannot fill all slots.
	TakeAlertDeliveries(ctx context.Context, now, until time.Time, limit int) ([]Delivery, error)
	// AlertChannel returns a channel of an account. ok is false if it does not exist.
	AlertChannel(ctx context.Context, account, id string) (c Channel, ok bool, err error)
	// FinishAlertDelivery deletes a delivery, and notes the result at its channel. DelayAlertDelivery
	// sets a new due time instead. Both return ErrTaken if the delivery was taken again.
	FinishAlertDelivery(ctx context.Context, d Delivery, failure string, at time.Time) error
	DelayAlertDelivery(ctx context.Context, d Delivery, failure string, at, due time.Time) error
}

// Sender makes one attempt to deliver a message. Users read the error, so it must not reveal
// details of the internal network.
type Sender interface {
	Send(ctx context.Context, c Channel, m Message) error
}

// Deliverer sends deliveries. Several may run at the same time.
type Deliverer struct {
	Queue  Queue
	Sender Sender
	Log    *slog.Logger
	Now    func() time.Time
}

// Run delivers until ctx ends.
func (d *Deliverer) Run(ctx context.Context) error {
	tick := time.NewTicker(deliverInterval)
	defer tick.Stop()
	failing := false
	for {
		n, err := d.DeliverDue(ctx)
		if err != nil && ctx.Err() == nil && !failing {
			d.Log.WarnContext(ctx, "alerts are delivered late", "error", err)
		}
		failing = err != nil
		if n > 0 && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// DeliverDue makes one attempt for each of at most maxConcurrent due deliveries. It returns
// their number.
func (d *Deliverer) DeliverDue(ctx context.Context) (int, error) {
	now := truncate(d.Now())
	taken, err := d.Queue.TakeAlertDeliveries(ctx, now, now.Add(DeliveryLease), maxConcurrent)
	if err != nil {
		return 0, err
	}
	var wait sync.WaitGroup
	errs := make([]error, len(taken))
	for i, one := range taken {
		wait.Go(func() { errs[i] = d.deliver(ctx, one) })
	}
	wait.Wait()
	return len(taken), errors.Join(errs...)
}

func (d *Deliverer) deliver(ctx context.Context, one Delivery) error {
	channel, ok, err := d.Queue.AlertChannel(ctx, one.AccountID, one.ChannelID)
	if err != nil {
		return err
	}
	failure := ""
	if ok {
		if sendErr := d.send(ctx, channel, one.Message); sendErr != nil {
			failure = sendErr.Error()
		}
	}
	if failure != "" && ctx.Err() != nil {
		return ctx.Err() // the attempt may have failed because this process ends
	}
	// A message that was sent must be finished even if this process ends, or it is sent again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTimeout)
	defer cancel()
	at := truncate(d.Now())
	if failure != "" && one.Tries <= len(delays) {
		due := at.Add(addJitter(delays[one.Tries-1]))
		if end, quiet := channel.Quiet.Until(due); quiet {
			due = end
		}
		err = d.Queue.DelayAlertDelivery(ctx, one, failure, at, truncate(due))
	} else {
		err = d.Queue.FinishAlertDelivery(ctx, one, failure, at)
	}
	if errors.Is(err, ErrTaken) {
		return nil
	}
	return err
}

func (d *Deliverer) send(ctx context.Context, c Channel, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	return d.Sender.Send(ctx, c, m)
}

// addJitter lengthens a delay by up to a fifth, so that deliveries that failed together are
// not retried together.
func addJitter(d time.Duration) time.Duration { return d + rand.N(d/5) }
