// Package affinity remembers which candidate was last chosen for a conversation. The
// conversation can then stay with a provider that has cached its prompt. A Memory drops
// entries after their lifetime, and when there are too many. Package decide determines
// whether the conversation stays. The router's engine uses this package.
package affinity

import (
	"strings"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
)

// maxGeneration is the maximum number of conversations in each of the two generations
// of a Memory. When the young generation is full, it replaces the old one. Both together
// use about 20 MB.
const maxGeneration = 50_000

// Conversation identifies a conversation of an account on a route.
type Conversation struct {
	Account, Route string
	// ID identifies the conversation within the account and route.
	ID uint64
}

// Memory maps conversations to candidates. It is safe for concurrent use. Its zero
// value is ready to use.
type Memory struct {
	mu         sync.Mutex
	young, old map[Conversation]entry
}

type entry struct {
	candidate decide.Candidate
	expires   time.Time
}

// LastCandidate returns the candidate of a conversation. It returns nil if the
// conversation is unknown or its entry has expired.
func (m *Memory) LastCandidate(c Conversation, now time.Time) *decide.Candidate {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, ok := m.young[c]
	if !ok {
		e, ok = m.old[c]
	}
	if !ok || now.After(e.expires) {
		return nil
	}
	return &e.candidate
}

// Remember stores the candidate of a conversation until the given time. It copies the
// account id: the id may share memory with a whole message, which would stay in memory.
func (m *Memory) Remember(c Conversation, candidate decide.Candidate, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.young == nil || len(m.young) >= maxGeneration {
		m.young, m.old = map[Conversation]entry{}, m.young
	}
	c.Account = strings.Clone(c.Account)
	m.young[c] = entry{candidate, until}
}
