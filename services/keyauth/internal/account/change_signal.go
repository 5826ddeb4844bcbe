package account

import (
	"context"
	"sync"
)

// changeSignal wakes all goroutines that wait for a change.
type changeSignal struct {
	mu sync.Mutex
	ch chan struct{}
}

func newChangeSignal() *changeSignal { return &changeSignal{ch: make(chan struct{})} }

// wait returns a channel that the next broadcast closes.
func (b *changeSignal) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *changeSignal) broadcast() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}

// ChangePruner shortens the change log.
type ChangePruner interface {
	// PruneChanges deletes old entries of the change log. keep is the number of the newest
	// entries that are not deleted.
	PruneChanges(ctx context.Context, keep int64) error
}

// NextChange returns a channel that the next change through this Service closes.
// Changes by other processes do not close it.
func (s *Service) NextChange() <-chan struct{} { return s.changed.wait() }
