package spool

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	minRetryDelay = 50 * time.Millisecond
	maxRetryDelay = 5 * time.Second
)

// Ship publishes records, oldest first. It frees the records that the store has
// committed and sends the others again. It returns nil when ctx ends or the spool
// is closed. It returns an error only if another Ship is running.
func (s *Spool) Ship(ctx context.Context, pub records.Publisher) error {
	if !s.shipMu.TryLock() {
		if s.ctx.Err() != nil {
			return nil // Close holds the lock
		}
		return errors.New("spool: another Ship is already running")
	}
	defer s.shipMu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()

	beat := newHeartbeat(s, pub)
	s.heartbeat = beat
	defer beat.reportFinal(ctx)
	retry := minRetryDelay
	for ctx.Err() == nil {
		busy, err := s.shipRound(ctx, pub)
		s.logPublisherState(ctx, err)
		if err != nil {
			waitUntil(ctx, nil, time.Now().Add(addJitter(retry)))
			retry = min(retry*2, maxRetryDelay)
			continue
		}
		retry = minRetryDelay
		beat.beatIfDue(ctx)
		if !busy {
			waitUntil(ctx, s.shipNeeded, earlier(s.nextDeadline(), beat.dueAt))
		}
	}
	return nil
}

// shipRound makes every shipper send at most one new batch and resend overdue records. It
// stops at the first batch that cannot be published, because all shippers use the same
// publisher.
func (s *Spool) shipRound(ctx context.Context, pub records.Publisher) (busy bool, err error) {
	for _, l := range s.listShippers() {
		if l.queryCommitted(ctx, pub) {
			s.signalProgress()
		}
		more, err := l.sendNextBatch(ctx, pub)
		if err != nil {
			return false, err
		}
		busy = busy || more
		if err := l.resendOverdue(ctx, pub); err != nil {
			return false, err
		}
		s.removeIfShipped(l)
	}
	return busy, nil
}

// removeIfShipped removes a dead producer's directory once all its records are
// settled: stored or lost.
func (s *Spool) removeIfShipped(l *shipper) {
	if l.adopted == nil || !l.adopted.isEmpty() {
		return
	}
	if err := l.adopted.removeDir(); err != nil {
		s.log.Warn("spool directory not removed", "producer", l.producer, "error", err)
	}
	_, lost := l.countSettled()
	s.lostByRemoved.Add(lost)
	s.mu.Lock()
	s.shippers = slices.DeleteFunc(slices.Clone(s.shippers), func(o *shipper) bool { return o == l })
	s.mu.Unlock()
}

// logPublisherState logs only when the publisher starts to fail and when it recovers.
func (s *Spool) logPublisherState(ctx context.Context, err error) {
	for _, l := range s.listShippers() {
		err = cmp.Or(err, l.queryErr)
	}
	if ctx.Err() != nil || s.publisherFailing.Load() == (err != nil) {
		return
	}
	s.publisherFailing.Store(err != nil)
	if err != nil {
		s.log.Warn("cannot ship records, the spool keeps them", "error", err)
		return
	}
	s.log.Info("shipping of records resumed")
}

// nextDeadline returns the earliest time at which a shipper has work, or zero if no
// shipper has work.
func (s *Spool) nextDeadline() time.Time {
	var first time.Time
	for _, l := range s.listShippers() {
		first = earlier(earlier(first, l.nextQuery), l.resender.due)
	}
	return first
}

// earlier returns the earlier of two times. Zero means never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// waitUntil returns at the given time, on a signal from wake, or when ctx ends.
// A zero time means never.
func waitUntil(ctx context.Context, wake <-chan struct{}, until time.Time) {
	var due <-chan time.Time
	if !until.IsZero() {
		timer := time.NewTimer(time.Until(until))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
	case <-wake:
	case <-due:
	}
}
