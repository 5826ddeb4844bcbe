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
	// bodies.
	Requests int64
	Bytes    int64
	// PerKey bounds the requests of one key that run, where the key has no
	// limit of its own. It holds for this process alone.
	PerKey int64
}

// gate counts what is inside.
type gate struct {
	requests atomic.Int64
	bytes    atomic.Int64
	mu       sync.Mutex
	// running counts by key, and only while there is a limit.
	running map[string]int64
}

// enter takes a place for the request. It is given back by leave, whatever
// enter answers.
func (e *edge) enter(x *exchange) error {
	x.inside = true
	if n := e.gate.requests.Add(1); e.Limits.Requests > 0 && n > e.Limits.Requests {
		return overloaded("the gateway has too much to do; try again shortly")
	}
	limit := cmp.Or(x.principal.Concurrent, e.Limits.PerKey)
	if limit == 0 {
		return nil
	}
	x.counted = e.gate.take(x.principal.KeyID, limit)
	if x.counted {
		return nil
	}
	return apperr.New(apperr.ConcurrencyLimitExceeded, "too many requests of this key are running at the same time; wait for one to end").
		With("limit", map[string]any{"scope": "key", "name": "concurrent_requests", "limit": limit, "remaining": 0}).After(soon())
}

// leave gives back what the request has taken.
func (e *edge) leave(x *exchange) {
	x.release()
	if !x.inside {
		return
	}
	e.gate.requests.Add(-1)
	if x.reserved > 0 {
		e.gate.bytes.Add(-x.reserved)
	}
	if x.counted {
		e.gate.release(x.principal.KeyID)
	}
}

// reserve takes memory for a body. It comes before the memory is used.
func (e *edge) reserve(x *exchange, n int64) error {
	if e.Limits.Bytes == 0 {
		return nil
	}
	x.reserved += n
	if e.gate.bytes.Add(n) > e.Limits.Bytes {
		return overloaded("the gateway has too many large requests at the moment; try again shortly")
	}
	return nil
}

func (g *gate) take(key string, limit int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[key] >= limit {
		return false
	}
	if g.running == nil {
		g.running = map[string]int64{}
	}
	g.running[key]++
	return true
}

func (g *gate) release(key string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[key]--; g.running[key] == 0 {
		delete(g.running, key)
	}
}

func overloaded(text string) error { return apperr.New(apperr.GatewayOverloaded, text).After(soon()) }

// soon is another moment for each caller, so that they do not come back all
// at once.
func soon() time.Duration { return time.Second + rand.N(2*time.Second) }
