package provider

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Ended is the error of an attempt whose ctx has ended. Whoever ended it knows
// best: a cause that is an *apperr.Error is returned as it is. Otherwise a
// passed deadline is PROVIDER_TIMEOUT and a cancellation CLIENT_CANCELLED,
// with the context's cause inside.
func Ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if e, ok := errors.AsType[*apperr.Error](cause); ok {
		return e
	}
	if errors.Is(cause, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return apperr.New(apperr.ProviderTimeout, "the provider did not answer in time").Because(cause)
	}
	return apperr.New(apperr.ClientCancelled, "the request was cancelled").Because(cause)
}
