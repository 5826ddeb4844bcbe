package api

import (
	"cmp"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Limits bound what the edge takes on. A limit of 0 is none, but for Body.
type Limits struct {
	// Body is the longest body, as it is sent and as it is after
	// decompression.
	Body int64
	// BodyTimeout is how long a body may take, on top of what its length takes
	// on a slow line.
	BodyTimeout time.Duration
	// Requests and Bytes bound the requests that run and the memory of their
	// bodies. One key has at most half of either.
	Requests int64
	Bytes    int64
	// PerKey bounds the requests of one key that run, where the key has no
	// limit of its own. It holds for this process alone.
	PerKey int64
}

// gate counts what is inside, of all keys and of each.
type gate struct {
	all tally
	// keys has a *tally by key, for those that are inside and some that were.
	keys sync.Map
	// known is how many those are, more or less.
	known atomic.Int64
}

// maxKnown is how many keys are counted before those with nothing inside are
// forgotten.
const maxKnown = 4096

// tally is the requests that run and the memory of their bodies.
type tally struct{ requests, bytes atomic.Int64 }

// of returns the tally of a key. One that is forgotten while a request is on
// its way in counts on for that request alone: its key is bounded a little
// later than others, once.
func (g *gate) of(key string) *tally {
	if t, ok := g.keys.Load(key); ok {
		return t.(*tally) //nolint:forcetypeassert // nothing else is stored
	}
	if g.known.Add(1) > maxKnown {
		g.known.Store(1)
		g.keys.Range(func(key, t any) bool {
			if t.(*tally).requests.Load() == 0 { //nolint:forcetypeassert // as above
				g.keys.Delete(key)
			} else {
				g.known.Add(1)
			}
			return true
		})
	}
	t, _ := g.keys.LoadOrStore(key, &tally{})
	return t.(*tally) //nolint:forcetypeassert // as above
}

// take adds to a counter unless that makes it more than the limit. A refused
// request never counts, however long its refusal takes.
func take(counter *atomic.Int64, n, limit int64) bool {
	if counter.Add(n) <= limit || limit == 0 {
		return true
	}
	counter.Add(-n)
	return false
}

// share is how much of a limit one key may take, so that none of them can keep
// all others out.
func share(limit int64) int64 { return limit - limit/2 }

// enter takes a place for the request, which leave gives back.
func (e *edge) enter(x *exchange) error {
	key := e.gate.of(x.principal.KeyID)
	limit := cmp.Or(x.principal.Concurrent, e.Limits.PerKey)
	if !take(&key.requests, 1, limit) {
		return apperr.New(apperr.ConcurrencyLimitExceeded, "too many requests of this key are running at the same time; wait for one to end").
			With("limit", map[string]any{"scope": "key", "name": "concurrent_requests", "limit": limit, "remaining": 0}).After(soon())
	}
	if most := e.Limits.Requests; most > 0 && key.requests.Load() > share(most) || !take(&e.gate.all.requests, 1, most) {
		key.requests.Add(-1)
		return overloaded("the gateway has too much to do; try again shortly")
	}
	x.key = key
	return nil
}

// leave gives back what the request has taken. Nobody may hold its body by
// then: the record has been written, and adapters have let go of it.
func (e *edge) leave(x *exchange) {
	if x.key == nil {
		return
	}
	if x.transcript != nil {
		x.transcript.Free()
	}
	if x.buffer != nil {
		e.unreserve(x, x.held)
		freeBuffer(x.buffer)
		x.buffer = nil
	}
	x.key.requests.Add(-1)
	e.gate.all.requests.Add(-1)
}

// reserve takes memory for a body. It comes before the memory is used. A body
// that has the gateway, or its key's share of it, for itself is always taken,
// or the longest might never be.
func (e *edge) reserve(x *exchange, n int64) error {
	x.held += n
	limit := e.Limits.Bytes
	own, all := x.key.bytes.Add(n), e.gate.all.bytes.Add(n)
	if limit == 0 || (own <= share(limit) || own == x.held) && (all <= limit || all == x.held) {
		return nil
	}
	e.unreserve(x, n)
	return overloaded("the gateway has too many large requests at the moment; try again shortly")
}

func (e *edge) unreserve(x *exchange, n int64) {
	x.held -= n
	x.key.bytes.Add(-n)
	e.gate.all.bytes.Add(-n)
}

func overloaded(text string) error { return apperr.New(apperr.GatewayOverloaded, text).After(soon()) }

// soon is another moment for each caller, so that they do not come back all
// at once.
func soon() time.Duration { return time.Second + rand.N(2*time.Second) }
