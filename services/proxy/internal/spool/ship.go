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
	retrySoonest = 50 * time.Millisecond
	retryLatest  = 5 * time.Second
)

// Ship publishes records, oldest first, frees what the store has committed and
// sends again what it has not, until ctx ends or the spool is closed; then it
// returns nil. It fails only if the spool is being shipped already.
func (s *Spool) Ship(ctx context.Context, pub records.Publisher) error {
	if !s.shipping.TryLock() {
		if s.life.Err() != nil {
			return nil // it is Close that holds it
		}
		return errors.New("spool: already being shipped")
	}
	defer s.shipping.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()

	beat := newHeartbeat(s, pub)
	s.beat = beat
	defer beat.last(ctx)
	retry := retrySoonest
	for ctx.Err() == nil {
		busy, err := s.round(ctx, pub)
		s.report(ctx, err)
		if err != nil {
			pause(ctx, nil, time.Now().Add(jitter(retry)))
			retry = min(retry*2, retryLatest)
			continue
		}
		retry = retrySoonest
		beat.beat(ctx)
		if !busy {
			pause(ctx, s.wake, sooner(s.nextDeadline(), beat.latest))
		}
	}
	return nil
}

// round gives every lane a turn. It stops at the first batch that cannot be
// published: all lanes have the same carrier.
func (s *Spool) round(ctx context.Context, pub records.Publisher) (busy bool, err error) {
	for _, l := range s.lanesNow() {
		if l.check(ctx, pub) {
			s.tell()
		}
		more, err := l.send(ctx, pub)
		if err != nil {
			return false, err
		}
		busy = busy || more
		if err := l.resend(ctx, pub); err != nil {
			return false, err
		}
		s.retire(l)
	}
	return busy, nil
}

// retire removes a dead producer's directory when the store holds it all.
func (s *Spool) retire(l *lane) {
	if l.journal == nil || !l.journal.done() {
		return
	}
	if err := l.journal.remove(); err != nil {
		s.log.Warn("spool directory not removed", "producer", l.producer, "error", err)
	}
	_, lost := l.account()
	s.lostOfDead.Add(lost)
	s.mu.Lock()
	s.lanes = slices.DeleteFunc(slices.Clone(s.lanes), func(o *lane) bool { return o == l })
	s.mu.Unlock()
}

// report logs the carrier's failing and its return, not every attempt.
func (s *Spool) report(ctx context.Context, err error) {
	for _, l := range s.lanesNow() {
		err = cmp.Or(err, l.askErr)
	}
	if ctx.Err() != nil || s.carrierFailing.Load() == (err != nil) {
		return
	}
	s.carrierFailing.Store(err != nil)
	if err != nil {
		s.log.Warn("records cannot be shipped, the spool keeps them", "error", err)
		return
	}
	s.log.Info("records are shipped again")
}

// nextDeadline returns when a lane has something to do, zero for never.
func (s *Spool) nextDeadline() time.Time {
	var first time.Time
	for _, l := range s.lanesNow() {
		first = sooner(sooner(first, l.ask), l.again.due)
	}
	return first
}

// sooner returns the earlier of two times, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// pause waits for the time, for wake, or for ctx.
func pause(ctx context.Context, wake <-chan struct{}, until time.Time) {
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
