package spool

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const maxResendDelay = time.Minute

// resender decides how many uncommitted records to send again. Records reach the
// store through a stream. The resender cannot distinguish a stream that lost records
// from a slow store, so it first sends one batch again. If the store commits that
// batch, the records after it are probably lost too. Then each further round sends
// twice as many batches, so that a few rounds refill a stream that lost everything.
// While the store is unavailable, each round sends only one batch, and the rounds are
// up to a minute apart. So the stream does not get the whole backlog again and again.
type resender struct {
	firstDelay time.Duration
	delay      time.Duration
	awaitedSeq uint64    // the number whose commit is awaited
	due        time.Time // when to send awaitedSeq again; zero if nothing is awaited
	sentUpTo   uint64    // the last number that was sent when resending began
	resentUpTo uint64    // the last number that was sent again
	batches    int       // batches in the next round
}

// resendOverdue sends overdue records again.
func (l *shipper) resendOverdue(ctx context.Context, pub records.Publisher) error {
	low := l.lowestUnsettled()
	n := l.resender.batchesToResend(low, l.nextSeq, time.Now())
	for ; n > 0 && low <= l.resender.sentUpTo; n-- {
		last, err := l.publishBatch(ctx, pub, low)
		if err != nil || last == 0 {
			return err
		}
		low, l.resender.resentUpTo = last+1, last
		l.nextSeq = max(l.nextSeq, last+1)
	}
	return nil
}

// batchesToResend returns how many batches to send again now. lowest is the first
// number that is not settled. next is the first number that was never sent.
func (r *resender) batchesToResend(lowest, next uint64, now time.Time) int {
	if lowest >= next {
		*r = resender{firstDelay: r.firstDelay}
		return 0
	}
	if lowest != r.awaitedSeq {
		r.awaitedSeq, r.delay = lowest, r.firstDelay
		r.due = now.Add(addJitter(r.delay))
		if lowest > r.resentUpTo && lowest <= r.sentUpTo {
			r.batches *= 2
			return r.batches
		}
		return 0
	}
	if now.Before(r.due) {
		return 0
	}
	r.sentUpTo, r.batches = next-1, 1
	r.delay = min(r.delay*2, max(maxResendDelay, r.firstDelay))
	r.due = now.Add(addJitter(r.delay))
	return r.batches
}
