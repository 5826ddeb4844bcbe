package sessionkeeper

import (
	"sync"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

// memory holds states by key in two generations. When the young generation is full, it
// replaces the old one. It is safe for concurrent use.
type memory struct {
	// limit is the maximum number of states in each generation.
	limit int

	mu         sync.Mutex
	young, old map[session.Key]*session.State
}

// get returns the state of a session, or nil if it is unknown or has expired.
func (m *memory) get(key session.Key, now time.Time) *session.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lookup(key, now)
}

// take returns the state of a session like get, and removes it.
func (m *memory) take(key session.Key, now time.Time) *session.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.lookup(key, now)
	delete(m.young, key)
	delete(m.old, key)
	return s
}

func (m *memory) lookup(key session.Key, now time.Time) *session.State {
	s := m.young[key]
	if s == nil {
		s = m.old[key]
	}
	if s == nil || s.IsExpired(now) {
		return nil
	}
	return s
}

// update replaces the state of a session by the result of change. The argument of change is nil if the
// session is unknown.
func (m *memory) update(key session.Key, now time.Time, change func(*session.State) *session.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := change(m.lookup(key, now))
	if _, known := m.young[key]; !known && (m.young == nil || len(m.young) >= m.limit) {
		m.young, m.old = make(map[session.Key]*session.State), m.young
	}
	m.young[key] = next
}

// len returns how many states the memory holds. A state in both generations counts twice.
func (m *memory) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.young) + len(m.old)
}
