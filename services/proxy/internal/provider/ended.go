package provider

import (
	"context"
	"errors"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Ended is the error of an attempt whose ctx has ended: PROVIDER_TIMEOUT after
// its deadline, else CLIENT_CANCELLED, with the context's cause inside. Whoever
// ended it knows better, and says so in the cause.
func Ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return apperr.New(apperr.ProviderTimeout, "the provider did not answer in time").Because(cause)
	}
	return apperr.New(apperr.ClientCancelled, "the request was cancelled").Because(cause)
}
