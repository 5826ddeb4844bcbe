package session

import (
	"time"
	"unique"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/saturate"
)

const (
	// longCache is the lifetime of a cache that the provider reports as written for an hour.
	longCache = time.Hour
	// averagedTurns is how many turns the averages cover at most.
	averagedTurns = 8
)

// Served describes a request that was sent to a provider.
type Served struct {
	// Candidate served the request. It is empty if every candidate failed.
	Candidate decide.Candidate
	Usage     catalog.Usage
	// Cache describes the prompt cache of the provider.
	Cache    catalog.Cache
	At       time.Time
	SideCall bool
	// Opening identifies the start of a request with tools. It is 0 for other requests.
	Opening                   uint64
	CostNanoUSD, SavedNanoUSD int64
}

// IsTurn reports whether the request is a turn that was served.
func (r *Served) IsTurn() bool { return !r.SideCall && r.Candidate != (decide.Candidate{}) }

// totals returns what the request adds to the totals of its session.
func (r *Served) totals() Totals {
	t := Totals{Requests: 1, CostNanoUSD: r.CostNanoUSD, SavedNanoUSD: r.SavedNanoUSD}
	if r.Candidate != (decide.Candidate{}) {
		t.InputTokens, t.CachedTokens = totalInput(&r.Usage), max(0, r.Usage.CacheRead)
	}
	if r.IsTurn() {
		t.Turns = 1
	}
	return t
}

// Add adds the totals of other requests.
func (t *Totals) Add(d Totals) {
	t.Requests, t.Turns = saturate.Add(t.Requests, d.Requests), saturate.Add(t.Turns, d.Turns)
	t.CostNanoUSD, t.SavedNanoUSD = saturate.Add(t.CostNanoUSD, d.CostNanoUSD), saturate.Add(t.SavedNanoUSD, d.SavedNanoUSD)
	t.InputTokens, t.CachedTokens = saturate.Add(t.InputTokens, d.InputTokens), saturate.Add(t.CachedTokens, d.CachedTokens)
}

// After returns the state after a request, and what the request added to the totals. The
// receiver may be nil: then nothing is known of the session. A side call and a failed request
// change only the totals.
func (s *State) After(r *Served) (*State, Totals) {
	next := State{}
	if s != nil {
		next = *s
	}
	added := r.totals()
	next.Totals.Add(added)
	if r.IsTurn() {
		next.addTurn(r)
	}
	next.Expires = max(next.Expires, r.At.Add(IdleLifetime).UnixMilli())
	for i := range next.Cached {
		next.Expires = max(next.Expires, next.Cached[i].Expires*1000)
	}
	return &next, added
}

func (s *State) addTurn(r *Served) {
	input := totalInput(&r.Usage)
	before := s.Input
	if c := s.findConversation(r.Opening); c != nil {
		before = c.Input
	}
	if s.LastAt > 0 && input >= before { // a smaller input means that the agent compacted the history
		s.AddedTokens = average(s.AddedTokens, input-before, s.Totals.Turns-1)
	}
	s.OutputTokens = average(s.OutputTokens, max(0, r.Usage.Output), s.Totals.Turns)
	s.Input, s.LastAt, s.IsAhead = input, max(s.LastAt, r.At.UnixMilli()), s.StoredAt > 0
	if s.Last != r.Candidate {
		s.Last = internCandidate(r.Candidate)
	}
	if r.Opening != 0 {
		s.Conversations = mergeConversations([]Conversation{{Opening: r.Opening, Last: s.Last, At: s.LastAt, Input: input}}, s.Conversations)
	}
	s.Cached = s.cachedAfter(r, input)
}

// average adds the n-th value to an average that follows the last averagedTurns values.
func average(old, value, n int64) int64 {
	n = min(max(n, 1), averagedTurns)
	return old + (value-old)/n
}

// cachedAfter returns what is cached after a turn. What the candidate reports replaces its
// earlier entry for the conversation. Other entries stay until they expire.
func (s *State) cachedAfter(r *Served, input int64) []CachedPrefix {
	lifetime := r.Cache.TTLSeconds
	for i := range s.Cached {
		if r.replaces(&s.Cached[i]) && s.Cached[i].Expires > r.At.Unix() {
			lifetime = max(lifetime, s.Cached[i].Lifetime) // reading a cache renews it
		}
	}
	if r.Usage.CacheWrite1h > 0 {
		lifetime = max(lifetime, int64(longCache/time.Second))
	}
	tokens := r.cachedTokens(input)
	if tokens <= 0 && len(s.Cached) == 0 {
		return nil
	}
	cached := make([]CachedPrefix, 0, min(len(s.Cached)+1, maxCached))
	if tokens > 0 {
		cached = append(cached, CachedPrefix{Opening: r.Opening, Candidate: s.Last, Tokens: tokens, Expires: r.At.Unix() + lifetime, Lifetime: lifetime})
	}
	own := len(cached)
	for _, c := range s.Cached {
		if r.replaces(&c) || c.Expires <= r.At.Unix() || len(cached) == maxCached {
			continue
		}
		if c.Opening == r.Opening {
			if own++; own > decide.MaxCachedPrefixes {
				continue
			}
		}
		cached = append(cached, c)
	}
	if len(cached) == 0 {
		return nil
	}
	return cached
}

// replaces reports whether a cached prefix is of the same conversation at the same candidate.
func (r *Served) replaces(c *CachedPrefix) bool {
	return c.Candidate == r.Candidate && c.Opening == r.Opening
}

// cachedTokens returns how much of the request the provider has cached now. A provider that
// reports what it wrote has cached what it read and wrote. A provider that caches automatically
// has cached the whole input if it is long enough.
func (r *Served) cachedTokens(input int64) int64 {
	if r.Cache.Mode == catalog.CacheAutomatic && r.Usage.CacheWrite <= 0 && input >= catalog.MinCachedTokens {
		return input
	}
	return saturate.Sum(r.Usage.CacheRead, r.Usage.CacheWrite)
}

func totalInput(u *catalog.Usage) int64 {
	return saturate.Sum(u.Input, u.CacheRead, u.CacheWrite)
}

// internCandidate returns the candidate with names that all states share. The names of a
// decision may share memory with the whole decision, which would stay in memory.
func internCandidate(c decide.Candidate) decide.Candidate {
	return decide.Candidate{Model: unique.Make(c.Model).Value(), Provider: unique.Make(c.Provider).Value()}
}
