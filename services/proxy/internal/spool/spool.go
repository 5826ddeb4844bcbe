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

	"github.com/google/uuid"
)

// ErrClosed is returned by Start and End after Close.
var ErrClosed = errors.New("spool: closed")

// ErrTooLong is returned for a payload of more than 8 MiB.
var ErrTooLong = errors.New("spool: payload is too long")

// keptDraft is above what a record with its content takes, so that one giant
// does not stay in the pool.
const keptDraft = 256 << 10

// Spool is safe for concurrent use.
type Spool struct {
	log    *slog.Logger
	own    *journal
	queue  *queue
	drafts sync.Pool

	dirty  chan struct{} // something was appended, or refused
	wake   chan struct{} // something may be sent
	synced sync.WaitGroup

	// life ends with Close.
	life     context.Context
	end      context.CancelFunc
	closing  sync.Once
	shipping sync.Mutex // held by Ship

	carrierFailing atomic.Bool
	refused        atomic.Uint64

	mu    sync.Mutex
	lanes []*lane // own, queue, then adopted ones
	news  chan struct{}
}

// Open makes a directory for this process and adopts those of dead ones. A
// directory that cannot be adopted is logged and left; Open fails only if it
// cannot have one of its own.
func Open(c Config) (*Spool, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	inMemory, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	own, err := create(c.Dir, c.SegmentBytes)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	s := &Spool{
		log:   c.Log,
		own:   own,
		queue: &queue{producer: inMemory.String(), limit: c.MemoryBytes, release: own.release},
		dirty: make(chan struct{}, 1),
		wake:  make(chan struct{}, 1),
		news:  make(chan struct{}),
	}
	s.drafts.New = func() any { return &draft{} }
	s.life, s.end = context.WithCancel(context.Background())
	s.addLane(c, own.producer, own, nil)
	s.addLane(c, s.queue.producer, s.queue, nil)
	for _, j := range adopt(c, own) {
		s.addLane(c, j.producer, j, j)
	}
	s.synced.Go(s.syncLoop)
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

// Start notes that a request is about to be served; End must follow. It is one
// write to a file, not synced. What an error means for the request is up to the
// caller.
func (s *Spool) Start(id [16]byte, payload []byte) error {
	return s.append(kindStart, id, payload)
}

// End keeps a request's record. It returns once the record outlives the
// process or, if the disk refuses it, waits in memory; an error means neither.
// After ErrTooLong the request is as open as before: End may be called with
// less, or Forget. After ErrClosed the next start records it as cut off. After
// any other error it is forgotten.
func (s *Spool) End(id [16]byte, payload []byte) error {
	err := s.append(kindEnd, id, payload)
	if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrTooLong) {
		return err
	}
	if full := s.queue.put(id, payload); full != nil {
		s.own.release(id)
		s.refused.Add(1)
		return fmt.Errorf("spool: %w, and %w", err, full)
	}
	ring(s.wake)
	return nil
}

// Forget gives up an open request of which there will be no record: its START
// keeps no file any longer, and Stats counts it as refused. If the process ends
// before that file is freed, the next start still finds the START and records
// the request as cut off, which is better than nothing.
func (s *Spool) Forget(id [16]byte) {
	if s.own.release(id) {
		s.refused.Add(1)
	}
}

func (s *Spool) append(kind byte, id [16]byte, payload []byte) error {
	if len(payload) > maxPayload {
		return ErrTooLong
	}
	d := s.drafts.Get().(*draft)
	d.fill(s.own.key, kind, id, payload)
	err := s.own.append(d, kind, id)
	if cap(d.buf) <= keptDraft {
		s.drafts.Put(d)
	}
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
