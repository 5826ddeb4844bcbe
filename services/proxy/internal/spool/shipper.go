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
	queryTimeout   = 5 * time.Second
	// The store commits every 100 ms. A shorter delay wastes queries. A much longer
	// delay slows down a shutdown.
	minQueryDelay = 100 * time.Millisecond
	maxQueryDelay = time.Second
)

// backlog holds the records that a shipper sends.
type backlog interface {
	// sendableRanges returns the sequence numbers of the records that may be sent.
	sendableRanges() []records.Range
	// lastAssigned returns the highest sequence number that was assigned.
	lastAssigned() uint64
	// readBatch returns a batch of sendable records. The first has the sequence number
	// from, or the next higher one.
	readBatch(from uint64) (batch, error)
	// freeBelow deletes the records whose sequence number is lower than limit.
	freeBelow(limit uint64) error
}

// shipper sends the records of one producer. Only the holder of Spool.shipMu uses it,
// but other goroutines may read settled and committed.
type shipper struct {
	producer string
	backlog  backlog
	// adopted is set for the journal of a dead producer. Its directory is removed
	// once it is empty.
	adopted *journal
	log     *slog.Logger

	mu sync.Mutex
	// settled holds the numbers whose records are not sent again: the store has
	// committed them, or they cannot be read. committed is a subset of settled.
	settled, committed []records.Range

	nextSeq     uint64    // the first number that was never sent
	nextQuery   time.Time // when to query the committed ranges; zero for never
	queryDelay  time.Duration
	queryErr    error // result of the last query
	hasProgress bool  // a number was settled since the last query
	resender    resender
}

// sendNextBatch publishes the next batch and reports whether there may be another.
func (l *shipper) sendNextBatch(ctx context.Context, pub records.Publisher) (bool, error) {
	last, err := l.publishBatch(ctx, pub, l.nextSeq)
	if last == 0 {
		return false, err
	}
	l.nextSeq = last + 1
	return true, err
}

// publishBatch sends the unsettled records of the batch that begins at the number from. It
// returns the batch's last number. It returns 0 if there is no batch or the
// publisher fails. A batch that cannot be read counts as sent; the resender
// retries it.
func (l *shipper) publishBatch(ctx context.Context, pub records.Publisher, from uint64) (uint64, error) {
	b, err := l.backlog.readBatch(from)
	if err != nil {
		l.log.Error("cannot read spooled records, will retry", "producer", l.producer, "from", from, "error", err)
	}
	l.settleLost(b.lost)
	settled := l.settledRanges()
	entries := slices.DeleteFunc(b.entries, func(e records.Entry) bool { return containsSeq(settled, e.Seq) })
	if b.last > 0 {
		l.scheduleQuery()
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

// settleLost marks numbers that cannot be read as settled. A resend may report
// the same numbers again; settleLost ignores them.
func (l *shipper) settleLost(lost []uint64) {
	settled := l.settledRanges()
	lost = slices.DeleteFunc(lost, func(seq uint64) bool { return containsSeq(settled, seq) })
	if len(lost) > 0 {
		l.log.Error("spooled records are damaged", "producer", l.producer, "count", len(lost), "first", lost[0])
		l.addSettled(nil, lost)
	}
}

// scheduleQuery schedules a query after minQueryDelay, unless an earlier query is
// scheduled.
func (l *shipper) scheduleQuery() {
	soon := time.Now().Add(minQueryDelay)
	if l.nextQuery.IsZero() || l.nextQuery.After(soon) {
		l.nextQuery, l.queryDelay = soon, minQueryDelay
	}
}

// queryCommitted does nothing unless a query is due. It queries which numbers the
// store has committed, and frees their records. It reports whether a number was
// settled since the last query. After a failed query, the shipper still sends records.
func (l *shipper) queryCommitted(ctx context.Context, pub records.Publisher) (news bool) {
	if l.nextQuery.IsZero() || time.Now().Before(l.nextQuery) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	ranges, err := pub.CommittedRanges(ctx, l.producer)
	if l.queryErr = err; err == nil {
		l.addSettled(ranges, nil)
	}
	if err := l.backlog.freeBelow(l.lowestUnsettled()); err != nil {
		l.log.Warn("spool not freed", "producer", l.producer, "error", err)
	}
	news, l.hasProgress = l.hasProgress, false
	l.rescheduleQuery(news)
	return news
}

func (l *shipper) rescheduleQuery(news bool) {
	l.queryDelay = min(max(l.queryDelay*2, minQueryDelay), maxQueryDelay)
	if news {
		l.queryDelay = minQueryDelay
	}
	l.nextQuery = time.Time{}
	// An adopted journal is queried until it is removed. It may wait until recovery
	// writes the END frames of its open requests.
	if l.queryErr != nil || l.lowestUnsettled() < l.nextSeq || l.adopted != nil {
		l.nextQuery = time.Now().Add(l.queryDelay)
	}
}

// addJitter varies d by up to a quarter in both directions. Otherwise, after a Redis
// failure, all proxies would reconnect at the same moment.
func addJitter(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}
