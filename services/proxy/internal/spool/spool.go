// Package spool keeps the records of requests on the local disk from the
// moment a request is begun until the store proves that it holds them. It is
// for transit: nothing is read from it but what is to be shipped, and it knows
// nothing of what a record says. A killed process loses no record whose END
// was written, and the next start makes one of every START without END. The
// proxy's dispatch writes it, its wiring ships and closes it.
package spool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by Start and End after Close.
var ErrClosed = errors.New("spool: closed")

// ErrTooLong is returned for a payload of more than 8 MiB.
var ErrTooLong = errors.New("spool: payload is too long")

// ErrFull is returned by Start while no further request can be recorded, and by
// End, far above the limit, for a request that never began.
var ErrFull = errors.New("spool: full")

// Spool is safe for concurrent use.
type Spool struct {
	log   *slog.Logger
	strip func(record []byte) (bare []byte, had bool)
	room  *room
	own   *journal
	queue *queue

	dirty   chan struct{} // something was appended, or refused
	wake    chan struct{} // something may be sent
	crowded chan struct{} // room is to be made
	told    Level         // what was logged last; the sync loop's
	making  sync.Mutex    // held while room is made
	loops   sync.WaitGroup

	// life ends with Close.
	life     context.Context
	end      context.CancelFunc
	closing  sync.Once
	shipping sync.Mutex // held by Ship

	beat *heartbeat // of the last Ship

	carrierFailing atomic.Bool
	unsynced       atomic.Bool // the last sync failed
	refused        atomic.Uint64
	lostOfDead     atomic.Uint64 // of the directories that are gone

	mu    sync.Mutex
	lanes []*lane // own, queue, then adopted ones
	news  chan struct{}
}

// Open makes a directory for this process and adopts those of dead ones, also
// of those that die later. A directory that cannot be adopted is logged and
// left. A disk that is full or read-only is none of Open's business: records
// wait in memory until they are shipped or it takes them. Open fails if it can
// never have a directory.
func Open(c Config) (*Spool, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	room := newRoom(c)
	own, err := create(c, room)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	queue, err := newQueue(c, own)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", errors.Join(err, own.unlock()))
	}
	s := &Spool{
		log:     c.Log,
		strip:   c.Strip,
		room:    room,
		own:     own,
		queue:   queue,
		dirty:   make(chan struct{}, 1),
		wake:    make(chan struct{}, 1),
		crowded: make(chan struct{}, 1),
		news:    make(chan struct{}),
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.addLane(c, own.producer, own, nil)
	s.addLane(c, s.queue.producer, s.queue, nil)
	recovery := newRecovery(c, own)
	s.inherit(recovery)
	if own.failing {
		ring(s.dirty) // or nobody would try the disk again
	}
	s.watchRoom()
	s.loops.Go(s.syncLoop)
	s.loops.Go(s.roomLoop)
	s.loops.Go(func() { s.inheritLoop(recovery) })
	return s, nil
}

// addLane lets a dead producer's lane ask before it sends: most of what its
// directory holds may be in the store already.
func (s *Spool) addLane(c Config, producer string, b backlog, dead *journal) {
	l := &lane{producer: producer, backlog: b, journal: dead, log: c.Log, next: 1, again: resender{after: c.ResendAfter}}
	if dead != nil {
		l.ask = time.Now()
	}
	s.lanes = append(s.lanes, l)
}

// Start notes that a request is about to be served; End or Forget must follow
// if it returns nil. The payload begins after Headroom bytes of the buffer,
// which is not kept. It is one write to a file, not synced. ErrFull means that
// the request cannot be recorded and had better not be served; what any other
// error means for it is up to the caller.
func (s *Spool) Start(id [16]byte, buf []byte) error {
	if s.room.level() == Shedding {
		return ErrFull
	}
	err := s.append(kindStart, id, buf)
	if err != nil && !errors.Is(err, ErrClosed) && s.queue.halfFull() {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// End keeps a request's record, which begins after Headroom bytes of the buffer;
// that is not kept. It returns once the record outlives the process or, if the
// disk refuses it, waits in memory; an error means neither. After ErrClosed the
// next start records the request as cut off. After any other error it is as
// open as before: End may be called with less, or Forget.
func (s *Spool) End(id [16]byte, buf []byte) error {
	if s.room.above(endAt, s.room.limit) && !s.own.begun(id) {
		return ErrFull
	}
	fit, dropped := s.fitting(buf)
	err := s.append(kindEnd, id, fit)
	if err == nil && dropped {
		s.room.dropped.Add(1)
	}
	if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrTooLong) {
		return err
	}
	if err := s.remember(id, buf[Headroom:], err); err != nil {
		return err
	}
	ring(s.wake)
	return nil
}

// Forget gives up a request of which there will be no record: its START, if
// there is one, keeps no file any longer, and Stats counts it as refused. If
// the process ends before that file is freed, the next start still finds the
// START and records the request as cut off, which is better than nothing. So
// after Close it does nothing.
func (s *Spool) Forget(id [16]byte) {
	if s.own.giveUp(id) {
		s.refused.Add(1)
	}
}

func (s *Spool) append(kind byte, id [16]byte, buf []byte) error {
	if len(buf) > Headroom+maxPayload {
		return ErrTooLong
	}
	err := s.own.append(newDraft(s.own.key, kind, id, buf), kind, id)
	ring(s.dirty)
	return err
}

// ring never waits: one unheard ring is enough.
func ring(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *Spool) lanesNow() []*lane {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lanes
}
