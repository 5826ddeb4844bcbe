package records

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// memoryBound is how many batches may wait in a Memory: publishers wait when
// the consumer is slower, and the spool holds what they have not published.
const memoryBound = 16

// memoryRecords and memoryBytes are from where on nothing is added to a batch.
const (
	memoryRecords = 1000
	memoryBytes   = 4 << 20
)

// Memory is a Publisher and a Source within one process. It is made for one
// consumer: until a batch is acknowledged, Next returns it again.
type Memory struct {
	batches chan []Entry

	mu sync.Mutex
	// held is what Next returned and nobody has acknowledged, oldest first.
	held      []*delivery
	committed map[string][]Range
	states    map[string]State
}

type delivery struct{ entries []Entry }

var (
	_ Publisher = (*Memory)(nil)
	_ Source    = (*Memory)(nil)
)

// NewMemory makes a carrier for one process.
func NewMemory() *Memory {
	return &Memory{batches: make(chan []Entry, memoryBound), committed: map[string][]Range{}, states: map[string]State{}}
}

// Publish waits while too much is on its way.
func (m *Memory) Publish(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
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

// Report keeps the state for as long as the process lives.
func (m *Memory) Report(_ context.Context, s State) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states[s.Producer] = s
	return nil
}

// States returns what was reported since the process began.
func (m *Memory) States(context.Context) ([]State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.states)), nil
}

// Next waits for what is published, and takes what else is there.
func (m *Memory) Next(ctx context.Context) (Batch, error) {
	if err := ctx.Err(); err != nil {
		return Batch{}, err // or a held batch would keep a consumer from ending
	}
	if d := m.oldest(); d != nil {
		return m.batch(d), nil
	}
	select {
	case entries := <-m.batches:
		return m.batch(m.hold(m.more(entries))), nil
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	}
}

// more adds what waits, while the batch is not large.
func (m *Memory) more(entries []Entry) []Entry {
	for size := bytesOf(entries); len(entries) < memoryRecords && size < memoryBytes; {
		select {
		case next := <-m.batches:
			entries = append(entries, next...)
			size += bytesOf(next)
		default:
			return entries
		}
	}
	return entries
}

func bytesOf(entries []Entry) (n int) {
	for i := range entries {
		n += len(entries[i].Record)
	}
	return n
}

func (m *Memory) oldest() *delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.held) == 0 {
		return nil
	}
	return m.held[0]
}

func (m *Memory) hold(entries []Entry) *delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := &delivery{entries}
	m.held = append(m.held, d)
	return d
}

func (m *Memory) batch(d *delivery) Batch {
	return Batch{Entries: slices.Clone(d.entries), Ack: func(_ context.Context, committed map[string][]Range) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.held = slices.DeleteFunc(m.held, func(h *delivery) bool { return h == d })
		for producer, ranges := range committed {
			m.committed[producer] = Merge(append(m.committed[producer], ranges...))
		}
		return nil
	}}
}
