package account

import "sync"

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
