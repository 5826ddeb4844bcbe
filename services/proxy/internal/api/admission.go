package api

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/bodyreader"
	"github.com/signalbox/signalbox/services/proxy/internal/gate"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// Limits are the limits on request bodies and on concurrent requests per key.
type Limits struct {
	// Body is the maximum size of a body in bytes, as sent and after decompression.
	Body int64
	// BodyTimeout is how long a client may take to send the body. A large body gets more
	// time as its data arrives.
	BodyTimeout time.Duration
	// PerKey limits the concurrent requests of a key that has no limit of its own. 0 means
	// no limit. It applies to this process only.
	PerKey int64
}

// acquireSlot reserves a slot for one concurrent request. release frees it.
func (e *edge) acquireSlot(x *exchange) (err error) {
	p := x.principal
	caller := gate.Caller{Account: p.AccountID, Key: p.KeyID, Now: x.startedAt}
	if p.Limits.Concurrent == 0 {
		caller.MaxConcurrent = e.Limits.PerKey
	}
	x.slot, err = e.Gate.Acquire(x.r.Context(), caller)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gate.ErrKeyLimit):
		return keyLimitError(caller.MaxConcurrent)
	}
	return x.orCancelled(overloadedError("the gateway is overloaded; try again shortly"))
}

// keyLimitError is the error for a key that has reached Limits.PerKey.
func keyLimitError(limit int64) error {
	wait := retryDelay()
	text := fmt.Sprintf("the key's limit of %s is reached; try again when a request has finished", limits.FormatCount(limit, "concurrent request"))
	return apperr.New(apperr.ConcurrencyLimitExceeded, text).
		With("limit", map[string]any{
			"scope": limits.ScopeKey, "name": limits.ConcurrentRequests, "limit": limit, "remaining": 0,
			"reset_at": time.Now().Add(wait).UTC().Format(time.RFC3339),
		}).WithRetryAfter(wait)
}

// release frees everything that the request has reserved, including the memory of its
// body. Call it only after the record is written. Adapters do not retain the body.
func (e *edge) release(x *exchange) {
	x.admission.Release()
	if x.transcript != nil {
		x.transcript.Release()
	}
	x.body.Free()
	x.slot.Release()
}

// readBody reads the body. The memory belongs to the request until release.
func (e *edge) readBody(x *exchange) ([]byte, error) {
	body, err := x.body.Read(
		bodyreader.Request{Writer: x.w, Request: x.r, Control: &x.rc, Slot: &x.slot},
		bodyreader.Limits{Size: e.Limits.Body, Timeout: e.Limits.BodyTimeout})
	if errors.Is(err, bodyreader.ErrNoMemory) {
		return nil, overloadedError("the gateway is processing too many large requests; try again shortly")
	}
	if err != nil {
		return nil, err
	}
	x.bodyRead = true
	return body, nil
}

func overloadedError(text string) error {
	return apperr.New(apperr.GatewayOverloaded, text).WithRetryAfter(retryDelay())
}

// retryDelay returns a random Retry-After, so that rejected clients do not all retry at
// the same time.
func retryDelay() time.Duration { return time.Second + rand.N(2*time.Second) }
