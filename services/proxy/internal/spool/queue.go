package spool

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/records"
)

// queue holds the ENDs that the disk refused. They travel under a producer of
// their own, so that the disk's numbers have no gaps where memory's were lost.
type queue struct {
	producer string
	limit    int
	config   Config
	// own has the STARTs of the records. It is told of each that is safe.
	own *journal
	// saving is held by whoever has to do with disk. It is taken before mu.
	saving sync.Mutex

	mu    sync.Mutex
	items []queued
	bytes int
	seq   uint64
	// disk has what was saved of the items, nil if nothing was.
	disk *journal
}

type queued struct {
	seq     uint64
	id      [16]byte
	payload []byte
	at      time.Time
}

// newQueue gives its producer a name after own's: recovery, which goes by the
// names, must meet a START before its END.
func newQueue(c Config, own *journal) (*queue, error) {
	unique, err := uuid.NewV7()
	return &queue{producer: unique.String(), limit: c.MemoryBytes, config: c, own: own}, err
}

// put keeps a copy, unless the queue would then be longer than limit.
func (q *queue) put(id [16]byte, payload []byte, limit int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes+len(payload) > min(limit, q.limit) {
		return fmt.Errorf("%d records wait in memory, no room for more", len(q.items))
	}
	q.seq++
	q.bytes += len(payload)
	q.items = append(q.items, queued{q.seq, id, slices.Clone(payload), time.Now()})
	return nil
}

// halfFull reports whether only records without bodies fit in any more.
func (q *queue) halfFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes > q.limit/2
}

func (q *queue) ready() []records.Range {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.seq == 0 {
		return nil
	}
	return []records.Range{{First: 1, Last: q.seq}}
}

func (q *queue) read(from uint64) (batch, error) {
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
		if len(b.entries) == batchEntries || len(b.entries) > 0 && size > batchBytes {
			break
		}
		b.entries = append(b.entries, records.Entry{Producer: q.producer, Seq: it.seq, Record: it.payload})
		b.last = it.seq
	}
	return b, nil
}

func (q *queue) free(below uint64) error {
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
		q.own.release(it.id)
	}
	return q.tidy(below)
}

func (q *queue) holds() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) > 0
}

// end lets nothing in any more: nobody would come for it.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.limit = -1
}
