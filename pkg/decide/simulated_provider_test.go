package decide_test

import (
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
)

// cacheBlock is the unit in which providers with automatic caches reuse a prompt.
const cacheBlock = 128

// simulatedProviders are the prompt caches of all providers for one session, and what the
// providers charge. They know nothing of the estimates in package decide.
type simulatedProviders struct {
	policy  *policy.Policy
	entries map[decide.Candidate]simulatedEntry
	charged int64
}

type simulatedEntry struct {
	tokens  int64
	expires time.Time
}

// serve charges for a request and updates the cache. The prompt starts with the prompt of every
// earlier request, as in the conversation of an agent. marked tells whether the request marks
// what to cache.
func (s *simulatedProviders) serve(c decide.Candidate, input, output int64, marked bool, at time.Time) catalog.Usage {
	m, _ := s.policy.Model(c.Model)
	endpoint, _ := m.EndpointAt(c.Provider)
	cache := endpoint.Cache()
	u := catalog.Usage{Output: output}
	if entry := s.entries[c]; at.Before(entry.expires) {
		u.CacheRead = min(entry.tokens, input)
		if cache.Mode == catalog.CacheAutomatic {
			u.CacheRead -= u.CacheRead % cacheBlock
		}
	}
	if cache.Caches(marked) && input >= catalog.MinCachedTokens {
		u.CacheWrite = input - u.CacheRead
		s.entries[c] = simulatedEntry{input, at.Add(time.Duration(cache.TTLSeconds) * time.Second)}
	} else {
		u.Input = input - u.CacheRead
	}
	price, _ := m.PriceAt(c.Provider, at)
	s.charged += catalog.Cost(price, u)
	return u
}

// sessionMemory is what a proxy remembers of a session. It learns only from responses.
type sessionMemory struct {
	decide.Session
	firstInput, lastInput, outputs int64
}

// remember updates the memory after a turn.
func (m *sessionMemory) remember(c decide.Candidate, ttl int64, u catalog.Usage, began, ended time.Time) {
	input := u.Input + u.CacheRead + u.CacheWrite
	if m.Turns == 0 {
		m.firstInput = input
	}
	m.Turns++
	m.Last, m.LastAt, m.lastInput = &c, ended.Unix(), input
	m.outputs += u.Output
	m.OutputTokens = m.outputs / m.Turns
	if m.Turns > 1 {
		m.AddedTokens = (m.lastInput - m.firstInput) / (m.Turns - 1)
	}
	cached := []decide.CachedPrefix{}
	if u.CacheRead+u.CacheWrite > 0 {
		cached = append(cached, decide.CachedPrefix{Candidate: c, Tokens: u.CacheRead + u.CacheWrite, Expires: began.Unix() + ttl})
	}
	for _, old := range m.Cached {
		if old.Candidate != c && len(cached) < decide.MaxCachedPrefixes {
			cached = append(cached, old)
		}
	}
	m.Cached = cached
}

// at returns what the proxy tells the router at a time: without caches that have expired.
func (m *sessionMemory) at(now time.Time) decide.Session {
	s := m.Session
	s.Cached = nil
	for _, c := range m.Cached {
		if c.Expires > now.Unix() {
			s.Cached = append(s.Cached, c)
		}
	}
	return s
}
