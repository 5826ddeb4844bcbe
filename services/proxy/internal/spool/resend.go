package spool

import (
	"context"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const resendLatest = time.Minute

// resender decides what of the sent but uncommitted records to send again. It
// cannot know whether the carrier lost them or the store is slow. So it starts
// with one batch; if that gets through, what follows is likely lost too, and
// each further helping is twice as large. A store that is down thus costs the
// carrier one batch a minute and not the whole backlog, and a carrier that
// lost everything is refilled within a few rounds.
type resender struct {
	after  time.Duration
	delay  time.Duration
	lowest uint64    // what is waited for
	due    time.Time // until when; zero if for nothing
	sent   uint64    // the last number sent when the doubt arose
	tried  uint64    // the last number sent again
	size   int       // batches in the next helping
}

// resend sends again what is overdue.
func (l *lane) resend(ctx context.Context, pub records.Publisher) error {
	low := l.lowest()
	n := l.again.helping(low, l.next, time.Now())
	for ; n > 0 && low <= l.again.sent; n-- {
		last, err := l.publish(ctx, pub, low)
		if err != nil || last == 0 {
			return err
		}
		low, l.again.tried = last+1, last
		l.next = max(l.next, last+1)
	}
	return nil
}

// helping returns how many batches to send again now, given the lowest number
// that is not settled and the first that was never sent.
func (r *resender) helping(lowest, next uint64, now time.Time) int {
	if lowest >= next {
		*r = resender{after: r.after}
		return 0
	}
	if lowest != r.lowest {
		r.lowest, r.delay = lowest, r.after
		r.due = now.Add(jitter(r.delay))
		if lowest > r.tried && lowest <= r.sent {
			r.size *= 2
			return r.size
		}
		return 0
	}
	if now.Before(r.due) {
		return 0
	}
	r.sent, r.size = next-1, 1
	r.delay = min(r.delay*2, max(resendLatest, r.after))
	r.due = now.Add(jitter(r.delay))
	return r.size
}
