package records

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// maxQueuedBatches limits the queue. While the queue is full, publishers wait. Their records stay in the
// spool, the proxy's log on disk.
const maxQueuedBatches = 16

// maxBatchRecords and maxBatchBytes are the sizes above which Next merges no more entries into a batch.
const (
	maxBatchRecords = 1000
	maxBatchBytes   = 4 << 20
)

// Memory is a Publisher and a Source within one process, for a single consumer. Next returns a batch
// again until the batch is acknowledged.
type Memory struct {
	batches chan []Entry

	mu sync.Mutex
	// unacked contains the batches that Next has returned and that are not acknowledged, oldest first.
	unacked   []*delivery
	committed map[string][]Range
	states    map[string]ProducerState
	running   map[string]runningReport
}

type runningReport struct {
	at       time.Time
	requests []RunningRequest
}

type delivery struct{ entries []Entry }

var (
	_ Publisher = (*Memory)(nil)
	_ Source    = (*Memory)(nil)
)

// NewMemory returns a transport within one process.
func NewMemory() *Memory {
	return &Memory{batches: make(chan []Entry, maxQueuedBatches), committed: map[string][]Range{}, states: map[string]ProducerState{}, running: map[string]runningReport{}}
}

// Publish queues the entries. It waits while the queue is full.
func (m *Memory) Publish(ctx context.Context, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	copied := slices.Clone(entries)
	for i := range copied {
		copied[i].Record = slices.Clone(copied[i].Record)
	}
	select {
	case m.batches <- copied:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CommittedRanges returns the ranges acknowledged since the process started.
func (m *Memory) CommittedRanges(_ context.Context, producer string) ([]Range, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.committed[producer]), nil
}

// ReportState stores the state until the process ends.
func (m *Memory) ReportState(_ context.Context, s ProducerState) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states[s.Producer] = s
	return nil
}

// ProducerStates returns the states reported since the process started.
func (m *Memory) ProducerStates(context.Context) ([]ProducerState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.states)), nil
}

// ReportRunning stores the report.
func (m *Memory) ReportRunning(_ context.Context, producer string, running []RunningRequest) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[producer] = runningReport{time.Now(), slices.Clone(running)}
	return nil
}

// RunningRequests returns the requests of the reports that have not expired.
func (m *Memory) RunningRequests(context.Context) ([]RunningRequest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []RunningRequest
	for _, r := range m.running {
		if time.Since(r.at) < RunningTTL {
			out = append(out, r.requests...)
		}
	}
	return out, nil
}

// Next waits for entries. It merges all queued entries into one batch, up to a limit.
func (m *Memory) Next(ctx context.Context) (Batch, error) {
	if err := ctx.Err(); err != nil {
		return Batch{}, err // do not return an unacknowledged batch after ctx is done
	}
	if d := m.oldestUnacked(); d != nil {
		return m.newBatch(d), nil
	}
	select {
	case entries := <-m.batches:
		return m.newBatch(m.addUnacked(m.appendQueued(entries))), nil
	case <-ctx.Done():
		return Batch{}, ctx.Err()
	}
}

// appendQueued appends queued entries until the batch is large enough or the queue is empty.
func (m *Memory) appendQueued(entries []Entry) []Entry {
	for size := totalBytes(entries); len(entries) < maxBatchRecords && size < maxBatchBytes; {
		select {
		case next := <-m.batches:
			entries = append(entries, next...)
			size += totalBytes(next)
		default:
			return entries
		}
	}
	return entries
}

func totalBytes(entries []Entry) (n int) {
	for i := range entries {
		n += len(entries[i].Record)
	}
	return n
}

func (m *Memory) oldestUnacked() *delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.unacked) == 0 {
		return nil
	}
	return m.unacked[0]
}

func (m *Memory) addUnacked(entries []Entry) *delivery {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := &delivery{entries}
	m.unacked = append(m.unacked, d)
	return d
}

func (m *Memory) newBatch(d *delivery) Batch {
	return Batch{Entries: slices.Clone(d.entries), Ack: func(_ context.Context, committed map[string][]Range) error {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.unacked = slices.DeleteFunc(m.unacked, func(h *delivery) bool { return h == d })
		for producer, ranges := range committed {
			m.committed[producer] = MergeRanges(append(m.committed[producer], ranges...))
		}
		return nil
	}}
}
