package control

import (
	"sync"
	"time"
)

const (
	// toleranceTries is how many questions in a row may go unanswered before
	// nobody waits for the next.
	toleranceTries = 10
	// tolerancePause is how long the router is then left alone; after it, one
	// question a pause is asked to see whether it is back.
	tolerancePause = time.Second
)

// tolerance ends when the router hangs: each request would wait for its whole
// budget, for nothing. It is safe for concurrent use.
type tolerance struct {
	mu     sync.Mutex
	missed int
	until  time.Time
}

// asks reports whether the router is to be asked now.
func (p *tolerance) asks(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missed < toleranceTries {
		return true
	}
	if now.Before(p.until) {
		return false
	}
	p.until = now.Add(tolerancePause)
	return true
}

// lost reports whether it has ended.
func (p *tolerance) lost() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missed >= toleranceTries
}

// heard is told of every answer, and of every question that got none in time.
func (p *tolerance) heard(answered bool, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answered {
		p.missed = 0
		return
	}
	if p.missed++; p.missed == toleranceTries {
		p.until = now.Add(tolerancePause)
	}
}
