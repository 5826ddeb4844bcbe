package api

import (
	"context"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// revokedError is the error of a request whose key was revoked while it was in progress.
func revokedError() error {
	return apperr.New(apperr.AuthInvalidKey, "the API key was revoked while the request was in progress").With("reason", "revoked")
}

// untilRevoked returns the context of a request that is ready to be served. If Running is set, the
// context ends when the key is revoked, with revokedError as the cause. The caller must call stop.
func (e *edge) untilRevoked(x *exchange) (ctx context.Context, stop func()) {
	if e.Running == nil {
		return x.r.Context(), func() {}
	}
	ctx, cancel := context.WithCancelCause(x.r.Context())
	remove := e.Running.Add(x.principal.KeyID, func() { cancel(revokedError()) })
	// The key may have been revoked after the request was admitted and before Add.
	if key, err := x.findKey(); err == nil {
		if _, err := e.Keys.Resolve(ctx, key); apperr.Is(err, apperr.AuthInvalidKey) {
			cancel(revokedError())
		}
	}
	return ctx, func() {
		remove()
		cancel(nil)
	}
}
