// Package affinity remembers which candidate served a conversation last, so that
// the conversation can stay with a provider that has cached its prompt. A Memory
// drops entries after their lifetime and when there are too many. Package decide
// determines whether a conversation stays. The router's engine uses it.
package affinity

import (
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// maxGeneration is the number of conversations in one generation. A Memory has at
// most two generations, about 20 MB.
const maxGeneration = 50_000

// Conversation identifies a conversation of an account on a route.
type Conversation struct {
	Account, Route string
	// ID distinguishes it from the account's other conversations.
	ID uint64
}

// Memory is safe for concurrent use. Its zero value is ready to use.
type Memory struct {
	mu         sync.Mutex
	young, old map[Conversation]entry
}

type entry struct {
	candidate decide.Candidate
	expires   time.Time
}

// LastCandidate returns the candidate of a conversation, nil if it is unknown or
// has expired.
func (m *Memory) LastCandidate(c Conversation, now time.Time) *decide.Candidate {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.young[c]
	if !ok {
		p, ok = m.old[c]
	}
	if !ok || now.After(p.expires) {
		return nil
	}
	return &p.candidate
}

// Remember stores the candidate of a conversation until a time. It copies the
// account id, which may alias a whole message.
func (m *Memory) Remember(c Conversation, candidate decide.Candidate, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || len(m.young) >= maxGeneration {
		m.young, m.old = map[Conversation]entry{}, m.young
	}
	c.Account = strings.Clone(c.Account)
	m.young[c] = entry{candidate, until}
}
