package session

import (
	"time"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/saturate"
)

// IdleLifetime is how long a session without requests is remembered. A session with a longer
// cache is remembered until its cache expires.
const IdleLifetime = time.Hour

// State is what is known of a session. A State is never changed: After returns a new one.
type State struct {
	// Last is the candidate that served the last turn; empty if no turn was served.
	Last decide.Candidate
	// LastAt is when the last turn ended, in Unix milliseconds.
	LastAt int64
	// Input is the number of input tokens of the last turn.
	Input int64
	// AddedTokens and OutputTokens are averages of the last turns: the input tokens that a
	// turn adds, and its output tokens.
	AddedTokens, OutputTokens int64
	// Conversations has the conversations with tools, the newest first; at most
	// maxConversations.
	Conversations []Conversation
	// Cached is what providers have cached, the newest first; at most maxCached, and at most
	// decide.MaxCachedPrefixes of one conversation.
	Cached []CachedPrefix
	Totals Totals
	// Expires is when the state is forgotten, in Unix milliseconds.
	Expires int64
	// StoredAt is LastAt by the clock of the shared store, as it was last read there; 0 if it
	// was not. IsAhead means that turns followed which were not read from there. Neither is
	// encoded.
	StoredAt int64
	IsAhead  bool
}

// CachedPrefix is the start of a conversation that a provider has cached.
type CachedPrefix struct {
	// Opening is that of the conversation; 0 if the turn had no tools.
	Opening   uint64
	Candidate decide.Candidate
	Tokens    int64
	// Expires is in Unix seconds. Lifetime is how long an unused cache lasts, in seconds.
	Expires, Lifetime int64
}

// Totals are the sums over all requests of a session. Side calls count, except in Turns.
type Totals struct {
	Requests, Turns           int64
	CostNanoUSD, SavedNanoUSD int64
	// InputTokens includes CachedTokens, which were read from a cache.
	InputTokens, CachedTokens int64
}

// CacheHitPercent returns how much of the input was read from a cache.
func (t *Totals) CacheHitPercent() int64 {
	return saturate.MulDiv(t.CachedTokens, 100, t.InputTokens)
}

// IsExpired reports whether the state is too old to be used.
func (s *State) IsExpired(now time.Time) bool { return now.UnixMilli() >= s.Expires }

// Question returns the part of the state that a decision needs. It leaves out expired caches.
func (s *State) Question(now time.Time) *decide.Session {
	var all struct { // one allocation
		decide.Session
		last decide.Candidate
	}
	q := &all.Session
	q.Turns, q.AddedTokens, q.OutputTokens = s.Totals.Turns, s.AddedTokens, s.OutputTokens
	if s.Last != (decide.Candidate{}) {
		all.last = s.Last
		q.Last, q.LastAt = &all.last, s.LastAt/1000
	}
	for i := range s.Cached {
		c := &s.Cached[i]
		if c.Expires > now.Unix() && len(q.Cached) < decide.MaxCachedPrefixes {
			q.Cached = append(q.Cached, decide.CachedPrefix{Candidate: c.Candidate, Tokens: c.Tokens, Expires: c.Expires})
		}
	}
	return q
}

// Merge returns the newer of two states of a session, with the larger totals; the second one if
// they are of the same millisecond. Either may be nil.
// Several proxies add to the totals, so each proxy may miss a part for a moment.
func Merge(a, b *State) *State {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	if !b.isOlder(a) {
		a, b = b, a
	}
	merged := *a
	merged.Expires = max(a.Expires, b.Expires)
	merged.Conversations = mergeConversations(a.Conversations, b.Conversations)
	merged.Totals = Totals{
		Requests: max(a.Totals.Requests, b.Totals.Requests), Turns: max(a.Totals.Turns, b.Totals.Turns),
		CostNanoUSD: max(a.Totals.CostNanoUSD, b.Totals.CostNanoUSD), SavedNanoUSD: newerSaved(a, b),
		InputTokens: max(a.Totals.InputTokens, b.Totals.InputTokens), CachedTokens: max(a.Totals.CachedTokens, b.Totals.CachedTokens),
	}
	return &merged
}

// isOlder reports whether the last turn of s is older. Times by the clock of the store are exact.
// LastAt of a state that was read from there is not: it contains the delay of the call.
func (s *State) isOlder(other *State) bool {
	if s.StoredAt > 0 && other.StoredAt > 0 && s.IsAhead == other.IsAhead {
		return s.StoredAt < other.StoredAt
	}
	if other.IsAhead && s.StoredAt > 0 && s.StoredAt <= other.StoredAt {
		return true // the other one followed it
	}
	return s.LastAt < other.LastAt
}

// newerSaved returns the savings of the state with more requests. Savings can be negative, so
// the larger ones are not always the newer ones.
func newerSaved(a, b *State) int64 {
	if b.Totals.Requests > a.Totals.Requests {
		return b.Totals.SavedNanoUSD
	}
	return a.Totals.SavedNanoUSD
}
