package api

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// Limits bound what the edge takes of one request.
type Limits struct {
	// Body is the longest body, as it is sent and as it is after
	// decompression.
	Body int64
	// BodyTimeout is how long a body may take, on top of what its length takes
	// on a slow line.
	BodyTimeout time.Duration
	// PerKey bounds the requests of one key that run, where the key has no
	// limit of its own; 0 is no bound. It holds for this process alone.
	PerKey int64
}

// enter finds the request a place, which leave gives back.
func (e *edge) enter(x *exchange) (err error) {
	p := x.principal
	who := gate.Who{Account: p.AccountID, Key: p.KeyID, Now: x.began}
	if p.Limits.Concurrent == 0 {
		who.Most = e.Limits.PerKey
	}
	x.place, err = e.Gate.Enter(x.r.Context(), who)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gate.ErrKey):
		return crowded(who.Most)
	}
	return x.orGone(overloaded("the gateway has too much to do; try again shortly"))
}

// crowded is that a key has as many requests running as any key may.
func crowded(most int64) error {
	wait := soon()
	text := fmt.Sprintf("the key's limit of %d concurrent requests is reached; try again when one of them has ended", most)
	return apperr.New(apperr.ConcurrencyLimitExceeded, text).
		With("limit", map[string]any{
			"scope": limits.ScopeKey, "name": limits.ConcurrentRequests, "limit": most, "remaining": 0,
			"reset_at": time.Now().Add(wait).UTC().Format(time.RFC3339),
		}).After(wait)
}

// leave gives back what the request has taken. Nobody may hold its body by
// then: the record has been written, and adapters have let go of it.
func (e *edge) leave(x *exchange) {
	x.pass.Leave()
	if x.transcript != nil {
		x.transcript.Free()
	}
	if x.buffer != nil {
		freeBuffer(x.buffer)
		x.buffer = nil
	}
	x.place.Leave()
}

// reserve takes memory for a body, before it is used.
func (e *edge) reserve(x *exchange, n int64) error {
	if x.place.Reserve(n) != nil {
		return overloaded("the gateway has too many large requests at the moment; try again shortly")
	}
	return nil
}

func overloaded(text string) error { return apperr.New(apperr.GatewayOverloaded, text).After(soon()) }

// soon is another moment for each caller, so that they do not come back all
// at once.
func soon() time.Duration { return time.Second + rand.N(2*time.Second) }
