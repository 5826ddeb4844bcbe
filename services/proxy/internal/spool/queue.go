package spool

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// queue holds the ENDs that the disk refused. They travel under a producer of
// their own, so that the disk's numbers have no gaps where memory's were lost.
type queue struct {
	producer string
	limit    int
	// release is told of every record that is safe in the store.
	release func(id [16]byte) bool

	mu    sync.Mutex
	items []queued
	bytes int
	seq   uint64
}

type queued struct {
	seq     uint64
	id      [16]byte
	payload []byte
	at      time.Time
}

// put keeps a copy. It fails when the queue is full.
func (q *queue) put(id [16]byte, payload []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bytes+len(payload) > q.limit {
		return fmt.Errorf("%d records wait in memory, no room for more", len(q.items))
	}
	q.seq++
	q.bytes += len(payload)
	q.items = append(q.items, queued{q.seq, id, slices.Clone(payload), time.Now()})
	return nil
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
		q.release(it.id)
	}
	return nil
}

// drain empties the queue and returns what was in it. Nothing fits in any more:
// nobody would come for it.
func (q *queue) drain() []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	items := q.items
	q.items, q.bytes, q.limit = nil, 0, -1
	return items
}
