// Package affinity remembers where conversations were sent last, so that they
// can stay with what their provider has cached of them. It forgets: after the
// time it was told, and when there are too many. Whether a conversation stays
// is pkg/decide's to say. The router's engine uses it.
package affinity

import (
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// generation is how many conversations are kept before the oldest are dropped:
// there are at most two generations, some 20 MB.
const generation = 50_000

// Conversation is one of an account on a route.
type Conversation struct {
	Account, Route string
	// ID tells it from the account's others.
	ID uint64
}

// Memory is safe for concurrent use; its zero value is ready.
type Memory struct {
	mu         sync.Mutex
	young, old map[Conversation]place
}

type place struct {
	target decide.Target
	until  time.Time
}

// Last is where a conversation was sent; nil when that is not known any more.
func (m *Memory) Last(c Conversation, now time.Time) *decide.Target {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.young[c]
	if !ok {
		p, ok = m.old[c]
	}
	if !ok || now.After(p.until) {
		return nil
	}
	return &p.target
}

// Note remembers where a conversation is sent, until a time. The account's text
// is kept by itself: it may be a part of a whole message.
func (m *Memory) Note(c Conversation, t decide.Target, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || len(m.young) >= generation {
		m.young, m.old = map[Conversation]place{}, m.young
	}
	c.Account = strings.Clone(c.Account)
	m.young[c] = place{t, until}
}
