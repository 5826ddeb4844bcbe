package session_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
)

var (
	start     = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	automatic = decide.Candidate{Model: "a", Provider: "auto"}
	charging  = decide.Candidate{Model: "c", Provider: "charging"}
)

func turn(c decide.Candidate, minute int, u catalog.Usage) *session.Served {
	mode := catalog.CacheAutomatic
	if c == charging {
		mode = catalog.CacheMarked
	}
	return &session.Served{
		Candidate: c, Usage: u, At: start.Add(time.Duration(minute) * time.Minute), Cache: catalog.Cache{Mode: mode, TTLSeconds: 300},
	}
}

// after applies requests in order.
func after(requests ...*session.Served) *session.State {
	var s *session.State
	for _, r := range requests {
		s, _ = s.After(r)
	}
	return s
}

func prefix(c decide.Candidate, tokens int64, minute int, lifetime time.Duration) session.CachedPrefix {
	at := start.Add(time.Duration(minute)*time.Minute + lifetime)
	return session.CachedPrefix{Candidate: c, Tokens: tokens, Expires: at.Unix(), Lifetime: int64(lifetime / time.Second)}
}

func TestWhatIsCached(t *testing.T) {
	const short, long = 5 * time.Minute, time.Hour
	for name, tc := range map[string]struct {
		turns []*session.Served
		want  []session.CachedPrefix
	}{
		"small input":           {[]*session.Served{turn(automatic, 0, catalog.Usage{Input: 1023})}, nil},
		"automatic":             {[]*session.Served{turn(automatic, 0, catalog.Usage{Input: 500, CacheRead: 524})}, []session.CachedPrefix{prefix(automatic, 1024, 0, short)}},
		"charged, nothing":      {[]*session.Served{turn(charging, 0, catalog.Usage{Input: 9000})}, nil},
		"charged, written":      {[]*session.Served{turn(charging, 0, catalog.Usage{Input: 10, CacheWrite: 300})}, []session.CachedPrefix{prefix(charging, 300, 0, short)}},
		"charged, read":         {[]*session.Served{turn(charging, 0, catalog.Usage{Input: 10, CacheRead: 200, CacheWrite: 100})}, []session.CachedPrefix{prefix(charging, 300, 0, short)}},
		"for an hour":           {[]*session.Served{turn(charging, 0, catalog.Usage{CacheWrite: 300, CacheWrite1h: 300})}, []session.CachedPrefix{prefix(charging, 300, 0, long)}},
		"reading renews":        {[]*session.Served{turn(charging, 0, catalog.Usage{CacheWrite: 300, CacheWrite1h: 300}), turn(charging, 50, catalog.Usage{CacheRead: 300})}, []session.CachedPrefix{prefix(charging, 300, 50, long)}},
		"a later report counts": {[]*session.Served{turn(charging, 0, catalog.Usage{CacheWrite: 300}), turn(charging, 1, catalog.Usage{Input: 300})}, nil},
		"two holders":           {[]*session.Served{turn(charging, 0, catalog.Usage{CacheWrite: 300}), turn(automatic, 1, catalog.Usage{Input: 2000})}, []session.CachedPrefix{prefix(automatic, 2000, 1, short), prefix(charging, 300, 0, short)}},
		"expired":               {[]*session.Served{turn(charging, 0, catalog.Usage{CacheWrite: 300}), turn(automatic, 6, catalog.Usage{Input: 2000})}, []session.CachedPrefix{prefix(automatic, 2000, 6, short)}},
	} {
		s := after(tc.turns...)
		require.Len(t, s.Cached, len(tc.want), name)
		if tc.want != nil {
			require.Equal(t, tc.want, s.Cached, name)
		}
	}
}

// The lifetime and the mode are those of the provider. A provider that caches nothing may still
// report a cache.
func TestTheCacheOfTheProvider(t *testing.T) {
	r := turn(automatic, 0, catalog.Usage{Input: 2000})
	r.Cache.TTLSeconds = 7200
	s := after(r)
	require.Equal(t, []session.CachedPrefix{prefix(automatic, 2000, 0, 2*time.Hour)}, s.Cached)
	require.False(t, s.IsExpired(start.Add(2*time.Hour-time.Second)), "a session is remembered as long as its cache")
	r.Cache.Mode = catalog.CacheNone
	require.Empty(t, after(r).Cached)
	r.Usage.CacheRead = 500
	require.Equal(t, []session.CachedPrefix{prefix(automatic, 500, 0, 2*time.Hour)}, after(r).Cached)
}

func TestAtMostFourPrefixes(t *testing.T) {
	var s *session.State
	for _, provider := range []string{"1", "2", "3", "4", "5", "6"} {
		s, _ = s.After(turn(decide.Candidate{Model: "m", Provider: provider}, 0, catalog.Usage{Input: 2000}))
	}
	require.Len(t, s.Cached, decide.MaxCachedPrefixes)
	require.Equal(t, "6", s.Cached[0].Candidate.Provider)
	require.Equal(t, "3", s.Cached[3].Candidate.Provider)
}

func TestTheQuestionOfASession(t *testing.T) {
	s := after(turn(automatic, 0, catalog.Usage{Input: 2000, Output: 100}), turn(automatic, 1, catalog.Usage{Input: 500, CacheRead: 2000, Output: 300}),
		turn(automatic, 2, catalog.Usage{Input: 900, CacheRead: 2500, Output: 200}))
	q := s.Question(start.Add(3 * time.Minute))
	require.Equal(t, &decide.Session{
		Last: &automatic, LastAt: start.Add(2 * time.Minute).Unix(), Turns: 3, AddedTokens: 700, OutputTokens: 200,
		Cached: []decide.CachedPrefix{{Candidate: automatic, Tokens: 3400, Expires: start.Add(7 * time.Minute).Unix()}},
	}, q)
	require.Empty(t, s.Question(start.Add(7*time.Minute)).Cached, "expired")
}

func TestACompactedHistoryAddsNothing(t *testing.T) {
	s := after(turn(automatic, 0, catalog.Usage{Input: 2000}), turn(automatic, 1, catalog.Usage{Input: 3000}), turn(automatic, 2, catalog.Usage{Input: 100}))
	require.Equal(t, int64(1000), s.AddedTokens)
	require.Equal(t, int64(100), s.Input)
}

// Side calls and failures change the totals and nothing else.
func TestSideCallsAndFailuresChangeOnlyTotals(t *testing.T) {
	before := after(turn(charging, 0, catalog.Usage{CacheWrite: 3000, Output: 10}))
	side := turn(automatic, 1, catalog.Usage{Input: 5000, Output: 1})
	side.SideCall, side.CostNanoUSD, side.SavedNanoUSD = true, 7, -2
	s, added := before.After(side)
	require.Equal(t, session.Totals{Requests: 1, CostNanoUSD: 7, SavedNanoUSD: -2, InputTokens: 5000}, added)
	s, _ = s.After(&session.Served{CostNanoUSD: 3, At: start.Add(2 * time.Minute)})
	require.Equal(t, session.Totals{Requests: 3, Turns: 1, CostNanoUSD: 10, SavedNanoUSD: -2, InputTokens: 8000}, s.Totals)
	s.Totals, s.Expires = before.Totals, before.Expires
	require.Equal(t, before, s)
}

func TestExpiry(t *testing.T) {
	s := after(turn(automatic, 0, catalog.Usage{Input: 1}))
	require.False(t, s.IsExpired(start.Add(time.Hour-time.Second)))
	require.True(t, s.IsExpired(start.Add(time.Hour)))
	s = after(turn(charging, 0, catalog.Usage{CacheWrite: 1, CacheWrite1h: 1}), &session.Served{At: start.Add(30 * time.Minute)})
	require.True(t, s.IsExpired(start.Add(90*time.Minute)))
	require.False(t, s.IsExpired(start.Add(89*time.Minute)))
}

func TestMerge(t *testing.T) {
	require.Nil(t, session.Merge(nil, nil))
	older := after(turn(automatic, 0, catalog.Usage{Input: 2000}))
	newer := after(turn(charging, 1, catalog.Usage{CacheWrite: 10}))
	older.Totals = session.Totals{Requests: 5, Turns: 1, CostNanoUSD: 9, SavedNanoUSD: -5, InputTokens: 1}
	newer.Totals = session.Totals{Requests: 2, Turns: 2, CostNanoUSD: 3, SavedNanoUSD: 4, InputTokens: 7}
	for _, pair := range [][2]*session.State{{older, newer}, {newer, older}} {
		m := session.Merge(pair[0], pair[1])
		require.Equal(t, charging, m.Last)
		require.Equal(t, newer.Cached, m.Cached)
		require.Equal(t, session.Totals{Requests: 5, Turns: 2, CostNanoUSD: 9, SavedNanoUSD: -5, InputTokens: 7}, m.Totals)
	}
	require.Same(t, older, session.Merge(older, nil))
	require.Same(t, newer, session.Merge(nil, newer))
}

func TestCacheHitPercent(t *testing.T) {
	for _, tc := range []struct{ input, cached, want int64 }{{0, 0, 0}, {100, 25, 25}, {3, 2, 66}, {math.MaxInt64, math.MaxInt64, 100}} {
		require.Equal(t, tc.want, (&session.Totals{InputTokens: tc.input, CachedTokens: tc.cached}).CacheHitPercent())
	}
}

func TestAnEncodedStateIsTheSame(t *testing.T) {
	s := after(turn(charging, 0, catalog.Usage{CacheWrite: 3000, Output: 10}), turn(automatic, 1, catalog.Usage{Input: 5000, Output: 1}))
	s.Totals.SavedNanoUSD = -1
	s.Conversations = []session.Conversation{{Opening: math.MaxUint64, Last: automatic, At: start.UnixMilli(), Input: 7}}
	b := s.AppendBinary(nil)
	require.Less(t, len(b), 150)
	without, err := session.Decode(b)
	require.NoError(t, err)
	require.Zero(t, without.Totals)
	whole, err := session.Decode(s.Totals.AppendBinary(b))
	require.NoError(t, err)
	require.Equal(t, s, whole)
	for i := range b {
		_, err := session.Decode(b[:i])
		require.Error(t, err, "cut at %d", i)
	}
	b[0]++
	_, err = session.Decode(b)
	require.Error(t, err, "another version")
}

func FuzzDecode(f *testing.F) {
	s := after(turn(charging, 0, catalog.Usage{CacheWrite: 3000, Output: 10}))
	f.Add(s.AppendBinary(nil))
	f.Add(s.Totals.AppendBinary(s.AppendBinary(nil)))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := session.Decode(b)
		if err == nil {
			require.LessOrEqual(t, len(s.Cached), 16)
			require.LessOrEqual(t, len(s.Conversations), 16)
		}
	})
}

// States that were read from the store are ordered by its clock, although the delay of a call makes
// the older one look newer. A state that a turn followed does not replace the state after it.
func TestTheClockOfTheStoreDecides(t *testing.T) {
	read := func(c decide.Candidate, storedAt int64, delay time.Duration) *session.State {
		s := after(turn(c, 0, catalog.Usage{Input: 10})).Shifted(delay)
		s.StoredAt, s.IsAhead = storedAt, false
		return s
	}
	older, newer := read(automatic, 1000, time.Second), read(charging, 1005, 0)
	require.Equal(t, charging, session.Merge(older, newer).Last)
	require.Equal(t, charging, session.Merge(newer, older).Last)

	own, _ := newer.After(turn(automatic, 0, catalog.Usage{Input: 20}))
	require.Equal(t, automatic, session.Merge(own, read(charging, 1005, time.Minute)).Last, "the turn before")
	require.Equal(t, charging, session.Merge(own, read(charging, 2000, time.Minute)).Last, "a turn elsewhere")
}
