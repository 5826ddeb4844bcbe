package control

import (
	"sync"
	"time"
)

const (
	// maxMissed is how many questions in a row may get no response before the router
	// counts as lost.
	maxMissed = 5
	// probePause is the interval between questions to a lost router. These questions check
	// whether the router responds again. No request waits for them.
	probePause = time.Second
)

// hangGuard stops waiting for a router that hangs. Otherwise each request would wait for the whole
// decision timeout. It is safe for concurrent use.
type hangGuard struct {
	mu        sync.Mutex
	missed    int
	nextProbe time.Time
}

// shouldProbe reports whether to send a question to a lost router now.
func (g *hangGuard) shouldProbe(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.missed < maxMissed || now.Before(g.nextProbe) {
		return false
	}
	g.nextProbe = now.Add(probePause)
	return true
}

// isLost reports whether the router counts as lost.
func (g *hangGuard) isLost() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.missed >= maxMissed
}

// record counts whether a question got its response in time.
func (g *hangGuard) record(responded bool, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if responded {
		g.missed = 0
		return
	}
	if g.missed++; g.missed == maxMissed {
		g.nextProbe = now.Add(probePause)
	}
}
