package records

import (
	"context"
	"slices"
	"sync"
)

// memoryBound is how many batches may wait in a Memory: publishers wait when
// the consumer is slower, and the spool holds what they have not published.
const memoryBound = 16

// Memory is a Publisher and a Source within one process.
type Memory struct {
	batches chan []Entry

	mu        sync.Mutex
	committed map[string][]Range
}

var (
	_ Publisher = (*Memory)(nil)
	_ Source    = (*Memory)(nil)
)

// NewMemory makes a carrier for one process.
func NewMemory() *Memory {
	return &Memory{batches: make(chan []Entry, memoryBound), committed: map[string][]Range{}}
}

// Publish waits while too much is on its way.
func (m *Memory) Publish(ctx context.Context, entries []Entry) error {
	kept := slices.Clone(entries)
	for i := range kept {
		kept[i].Record = slices.Clone(kept[i].Record)
	}
	select {
	case m.batches <- kept:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Committed returns what was acknowledged since the process began.
func (m *Memory) Committed(_ context.Context, producer string) ([]Range, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.committed[producer]), nil
}

// Next waits for a published batch.
func (m *Memory) Next(ctx context.Context) (Batch, error) {
	select {
	case entries := <-m.batches:
		return Batch{Entries: entries, Ack: m.ack}, nil
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	}
}

func (m *Memory) ack(_ context.Context, committed map[string][]Range) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for producer, ranges := range committed {
		m.committed[producer] = Merge(append(m.committed[producer], ranges...))
	}
	return nil
}
