package spool

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/records"
)

// memoryQueue holds the records whose END frames could not be written to the disk. An
// END frame holds the complete record. A START frame marks that a request began. The
// queue has a producer id of its own, so that records lost from memory leave no gaps in
// the sequence numbers of the records on disk.
type memoryQueue struct {
	producer string
	limit    int
	config   Config
	// mainJournal is the journal on disk, which holds the START frames of the queued
	// records. A START frame is released once its record is on the disk or in the ledger.
	mainJournal *journal
	// saveMu guards the use of savedJournal. It is locked before mu.
	saveMu sync.Mutex

	mu      sync.Mutex
	items   []queuedRecord
	bytes   int
	lastSeq uint64
	// savedJournal holds queued items that were saved when the disk worked again. It is
	// nil if none was saved.
	savedJournal *journal
}

type queuedRecord struct {
	seq      uint64
	id       [16]byte
	payload  []byte
	queuedAt time.Time
}

// newMemoryQueue creates a queue whose producer id sorts after the producer id of
// mainJournal. Recovery reads directories in the order of their names and must see
// the START frame of a record before its END frame.
func newMemoryQueue(c Config, mainJournal *journal) (*memoryQueue, error) {
	unique, err := uuid.NewV7()
	return &memoryQueue{producer: unique.String(), limit: c.MaxMemoryBytes, config: c, mainJournal: mainJournal}, err
}

// add queues a copy of payload, unless the queue would then exceed limit or q.limit
// bytes, whichever is lower.
func (q *memoryQueue) add(id [16]byte, payload []byte, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes+len(payload) > min(limit, q.limit) {
		return fmt.Errorf("memory queue is full: %d records wait", len(q.items))
	}
	q.lastSeq++
	q.bytes += len(payload)
	q.items = append(q.items, queuedRecord{q.lastSeq, id, slices.Clone(payload), time.Now()})
	return nil
}

// isHalfFull reports whether more than half of the limit is used. The rest is only for
// records without bodies.
func (q *memoryQueue) isHalfFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes > q.limit/2
}

func (q *memoryQueue) sendableRanges() []records.Range {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.lastSeq == 0 {
		return nil
	}
	return []records.Range{{First: 1, Last: q.lastSeq}}
}

func (q *memoryQueue) readBatch(from uint64) (batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var b batch
	size := 0
	for _, it := range q.items {
		size += len(it.payload)
		if it.seq < from {
			size = 0
			continue
		}
		if len(b.entries) == maxBatchEntries || len(b.entries) > 0 && size > maxBatchBytes {
			break
		}
		b.entries = append(b.entries, records.Entry{Producer: q.producer, Seq: it.seq, Record: it.payload})
		b.last = it.seq
	}
	return b, nil
}

func (q *memoryQueue) freeBelow(below uint64) error {
	q.mu.Lock()
	n := 0
	for n < len(q.items) && q.items[n].seq < below {
		q.bytes -= len(q.items[n].payload)
		n++
	}
	freed := q.items[:n]
	q.items = slices.Clone(q.items[n:])
	q.mu.Unlock()
	for _, it := range freed {
		q.mainJournal.releaseStart(it.id)
	}
	return q.freeSaved(below)
}

func (q *memoryQueue) hasItems() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) > 0
}

// stopAccepting rejects further records, because nothing drains the queue anymore.
func (q *memoryQueue) stopAccepting() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = -1
}
