package provider

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// ContextError returns the error of an attempt whose ctx has ended. Its code is
// PROVIDER_TIMEOUT if the deadline has passed, and CLIENT_CANCELLED otherwise. It wraps
// context.Cause(ctx), which gives the exact reason.
func ContextError(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return apperr.New(apperr.ProviderTimeout, "the provider did not respond in time").WithCause(cause)
	}
	return apperr.New(apperr.ClientCancelled, "the request was canceled").WithCause(cause)
}
