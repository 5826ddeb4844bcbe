package spool

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	publishTimeout = 10 * time.Second
	askTimeout     = 5 * time.Second
	// The store commits every 100 ms: asking much sooner is idle talk, asking
	// much later keeps a shutdown waiting.
	askSoonest = 100 * time.Millisecond
	askLatest  = time.Second
)

// backlog is where a lane's records wait.
type backlog interface {
	ready() []records.Range
	// last is the highest number that was given.
	last() uint64
	read(from uint64) (batch, error)
	free(below uint64) error
}

// lane ships the records of one producer. One goroutine drives it; settled is
// also read by others.
type lane struct {
	producer string
	backlog  backlog
	// journal is set for a dead producer's directory, to be removed when done.
	journal *journal
	log     *slog.Logger

	mu sync.Mutex
	// settled are the numbers that need no more sending: the store holds
	// them, or nobody can read them. Those it holds are committed.
	settled, committed []records.Range

	next     uint64 // the first number that was never sent
	ask      time.Time
	askDelay time.Duration
	askErr   error // the last answer
	news     bool  // something was settled since the last check
	again    resender
}

// send publishes the next batch, and reports whether there may be another.
func (l *lane) send(ctx context.Context, pub records.Publisher) (bool, error) {
	last, err := l.publish(ctx, pub, l.next)
	if last == 0 {
		return false, err
	}
	l.next = last + 1
	return true, err
}

// publish sends what is not settled of the batch that begins at from, and
// returns the batch's last number, 0 if it was not sent or there is none. A
// batch that cannot be read counts as sent: the resender comes back to it.
func (l *lane) publish(ctx context.Context, pub records.Publisher, from uint64) (uint64, error) {
	b, err := l.backlog.read(from)
	if err != nil {
		l.log.Error("spooled records cannot be read now", "producer", l.producer, "from", from, "error", err)
	}
	l.giveUp(b.lost)
	settled := l.settledNow()
	entries := slices.DeleteFunc(b.entries, func(e records.Entry) bool { return contains(settled, e.Seq) })
	if b.last > 0 {
		l.askSoon()
	}
	if len(entries) == 0 {
		return b.last, nil
	}
	ctx, cancel := context.WithTimeout(ctx, publishTimeout)
	defer cancel()
	if err := pub.Publish(ctx, entries); err != nil {
		return 0, fmt.Errorf("publish: %w", err)
	}
	return b.last, nil
}

// giveUp settles numbers that cannot be read. A resend meets them again.
func (l *lane) giveUp(lost []uint64) {
	settled := l.settledNow()
	lost = slices.DeleteFunc(lost, func(seq uint64) bool { return contains(settled, seq) })
	if len(lost) > 0 {
		l.log.Error("spooled records are damaged", "producer", l.producer, "count", len(lost), "first", lost[0])
		l.settle(nil, lost)
	}
}

// askSoon brings the next question forward, never back.
func (l *lane) askSoon() {
	soon := time.Now().Add(askSoonest)
	if l.ask.IsZero() || l.ask.After(soon) {
		l.ask, l.askDelay = soon, askSoonest
	}
}

// check asks, when it is time, what the store holds, and frees it. It reports
// whether anything was settled since the last time. Not to be told is no reason
// not to send.
func (l *lane) check(ctx context.Context, pub records.Publisher) (news bool) {
	if l.ask.IsZero() || time.Now().Before(l.ask) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	ranges, err := pub.Committed(ctx, l.producer)
	if l.askErr = err; err == nil {
		l.settle(ranges, nil)
	}
	if err := l.backlog.free(l.lowest()); err != nil {
		l.log.Warn("spool not freed", "producer", l.producer, "error", err)
	}
	news, l.news = l.news, false
	l.reschedule(news)
	return news
}

func (l *lane) reschedule(news bool) {
	l.askDelay = min(max(l.askDelay*2, askSoonest), askLatest)
	if news {
		l.askDelay = askSoonest
	}
	l.ask = time.Time{}
	// A dead producer's files may also wait for the end of its requests.
	if l.askErr != nil || l.lowest() < l.next || l.journal != nil {
		l.ask = time.Now().Add(l.askDelay)
	}
}

// jitter spreads d by a quarter either way, so that many proxies that lost the
// same Redis do not come back to it at the same moment.
func jitter(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}
