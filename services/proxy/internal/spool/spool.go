// Package spool stores request records on the local disk until the store, the
// dashboard's database, confirms that it has them. For each request, the proxy
// writes a START frame before it calls the upstream. When the request is done, it
// writes an END frame, which contains the record. Frames go to segment files in a
// directory that belongs to one process, the producer. A Spool ships the ENDs
// through a records.Publisher and queries which sequence numbers the store has
// committed. It sends missing records again and deletes a segment once nothing in
// it is needed.
//
//	ledger.Writer                                     records.Publisher
//	     │ Start, End, Forget                            ▲       │
//	     ▼                                       Publish │       │ CommittedRanges
//	┌───────── <Dir>/<producer>/ ─────────┐              │       ▼
//	│ 0000000001.seg  [S a][S b][E a #1]  │──────────────┤   a committed range
//	│ 0000000002.seg  [S c][E b #2]       │──────────────┘   frees segments
//	└─────────────────────────────────────┘
//
// In the drawing, S is a START and E an END; a, b and c are requests; #1 and #2 are
// sequence numbers. Segment 1 can be deleted once #1 and #2 are committed, because
// the record of its START b is END #2. Segment 2 stays until request c has ended. If
// the process dies first, the next process adopts the directory. It ships the
// records, and it writes a record for request c with Config.Recover.
//
// A killed process loses no record whose END was written. A power failure may
// lose the last 20 ms. While writes to the disk fail, ENDs wait in memory. When
// the disk fills up, records lose their bodies before any request is rejected;
// see Level. The package does not interpret records. Package ledger writes to
// the spool; package proxy opens it, runs Ship and closes it.
package spool

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// ErrClosed is returned by Start and End after Close.
var ErrClosed = errors.New("spool: closed")

// ErrTooLong is returned for a payload of more than 8 MiB.
var ErrTooLong = errors.New("spool: payload is too long")

// ErrFull is returned by Start while no further request can be recorded. End
// returns it for a request without a START once the files exceed 105 % of the
// limit.
var ErrFull = errors.New("spool: full")

// Headroom is the number of free bytes that Start and End need before a payload.
// They write the frame header into these bytes and then write the whole buffer
// with one call. So the body is not copied. A copy would take longer than all other
// steps except the write.
const Headroom = segment.HeaderBytes

// Spool stores and ships the records of one process. It is safe for concurrent use.
type Spool struct {
	log       *slog.Logger
	stripBody func(record []byte) (bare []byte, had bool)
	capacity  *diskCapacity
	own       *journal
	queue     *memoryQueue

	syncNeeded    chan struct{} // signals that a frame was appended, or that an append failed
	shipNeeded    chan struct{} // signals that records may be ready to send
	reclaimNeeded chan struct{} // signals that disk space must be reclaimed
	loggedLevel   Level         // last level that was logged; used by Open and the sync loop only
	reclaimMu     sync.Mutex    // held while disk space is reclaimed
	loops         sync.WaitGroup

	// ctx is cancelled by Close.
	ctx       context.Context
	cancel    context.CancelFunc
	closeOnce sync.Once
	shipMu    sync.Mutex // held by Ship and by Close

	heartbeat *heartbeat // of the latest Ship call

	publisherFailing atomic.Bool
	syncFailing      atomic.Bool // the latest sync failed
	refused          atomic.Uint64
	lostByRemoved    atomic.Uint64 // lost records of adopted directories that were deleted since

	mu       sync.Mutex
	shippers []*shipper    // index 0 ships own, 1 ships queue, the rest adopted directories
	progress chan struct{} // closed and replaced when records are settled; wakes Flush
}

// Open creates a directory for this process. It adopts the directories of dead
// processes, now and while the spool is open. It logs a directory that it cannot
// adopt and leaves it in place. A full, read-only or failing disk is no error:
// records wait in memory until they are shipped or the disk accepts them. Open fails
// only if the configuration is invalid or the directory cannot be created for
// another reason.
func Open(c Config) (*Spool, error) {
	if err := c.applyDefaults(); err != nil {
		return nil, err
	}
	capacity := newDiskCapacity(c)
	own, err := createJournal(c, capacity)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", err)
	}
	queue, err := newMemoryQueue(c, own)
	if err != nil {
		return nil, fmt.Errorf("spool: %w", errors.Join(err, own.unlock()))
	}
	s := &Spool{
		log:           c.Log,
		stripBody:     c.StripBody,
		capacity:      capacity,
		own:           own,
		queue:         queue,
		syncNeeded:    make(chan struct{}, 1),
		shipNeeded:    make(chan struct{}, 1),
		reclaimNeeded: make(chan struct{}, 1),
		progress:      make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.addShipper(c, own.producer, own, nil)
	s.addShipper(c, s.queue.producer, s.queue, nil)
	recovery := newRecovery(c, own)
	s.adoptDeadProducers(recovery)
	if own.writeFailing {
		sendSignal(s.syncNeeded) // starts the disk probes of the sync loop
	}
	s.checkCapacity()
	s.loops.Go(s.syncLoop)
	s.loops.Go(s.reclaimLoop)
	s.loops.Go(func() { s.adoptLoop(recovery) })
	return s, nil
}

// addShipper adds a shipper for one producer. The shipper of a dead producer
// queries the store before it sends, because the store may already have most of
// the records.
func (s *Spool) addShipper(c Config, producer string, b backlog, dead *journal) {
	l := &shipper{producer: producer, backlog: b, adopted: dead, log: c.Log, nextSeq: 1, resender: resender{firstDelay: c.ResendAfter}}
	if dead != nil {
		l.nextQuery = time.Now()
	}
	s.shippers = append(s.shippers, l)
}

// Start records that a request is about to be served. If Start returns nil, the
// caller must call End or Forget. The payload begins at offset Headroom of buf.
// Start overwrites the bytes before the payload and does not retain buf. Start makes
// one write call and does not sync. ErrFull means that the request cannot be
// recorded and should not be served. After any other error, the caller decides
// whether to serve the request.
func (s *Spool) Start(id [16]byte, buf []byte) error {
	if s.capacity.level() == Shedding {
		return ErrFull
	}
	err := s.appendFrame(segment.KindStart, id, buf)
	if err != nil && !errors.Is(err, ErrClosed) && s.queue.isHalfFull() {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}

// End stores a request's record, which begins at offset Headroom of buf. End
// overwrites the bytes before the record and does not retain buf. It returns nil once
// the record is in the file or, if the disk fails, in memory. After ErrClosed, the
// process that adopts the directory records the request as aborted. After any other
// error, the caller can call End again with a smaller record, or Forget.
func (s *Spool) End(id [16]byte, buf []byte) error {
	if s.capacity.isAbove(refuseEndPercent, s.capacity.limit) && !s.own.hasOpenStart(id) {
		return ErrFull
	}
	fit, dropped := s.fitRecord(buf)
	err := s.appendFrame(segment.KindEnd, id, fit)
	if err == nil && dropped {
		s.capacity.droppedBodies.Add(1)
	}
	if err == nil || errors.Is(err, ErrClosed) || errors.Is(err, ErrTooLong) {
		return err
	}
	if err := s.queueInMemory(id, buf[Headroom:], err); err != nil {
		return err
	}
	sendSignal(s.shipNeeded)
	return nil
}

// Forget abandons a request that gets no record. The request's START no longer
// prevents the deletion of its segment, and Stats counts the request as refused. If
// the process dies before the segment is deleted, the next process finds the START
// and records the request as aborted. After Close, Forget does nothing.
func (s *Spool) Forget(id [16]byte) {
	if s.own.forgetStart(id) {
		s.refused.Add(1)
	}
}

func (s *Spool) appendFrame(kind byte, id [16]byte, buf []byte) error {
	if len(buf) > Headroom+segment.MaxPayload {
		return ErrTooLong
	}
	err := s.own.appendFrame(segment.NewDraft(s.own.checksumSeed, kind, id, buf), kind, id)
	sendSignal(s.syncNeeded)
	return err
}

// sendSignal sends without blocking. One pending signal is enough.
func sendSignal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (s *Spool) listShippers() []*shipper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shippers
}
