package upstream

import (
	"context"
	"errors"
	"net"
	"net/url"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Phases of a call after its connection stood; egress has those before.
const (
	phaseRequest = "request"
	phaseAnswer  = "answer"
	phaseStream  = "stream"
)

// Invalid is the error for an answer that is none: what completes the sentence
// that begins with the provider's name, reason is the detail for machines.
func (c *Client) Invalid(reason, what string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "provider "+c.name+" "+what).With("reason", reason)
}

// broken is a call that failed below HTTP, in the phase or, where it never
// connected, in the one that egress tells.
func (c *Client) broken(ctx context.Context, phase string, err error) error {
	if ctx.Err() != nil {
		return provider.Ended(ctx)
	}
	code, message := apperr.ProviderConnection, "the connection to provider "+c.name+" failed"
	if e, ok := errors.AsType[*egress.Error](err); ok {
		phase = string(e.Phase)
		if e.Timeout() {
			code, message = apperr.ProviderTimeout, "connecting to provider "+c.name+" took too long"
		}
	}
	return apperr.New(code, message).With("phase", phase).Because(bare(err))
}

// bare takes off the wrappings that name the URL or an address.
func bare(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if _, ok := errors.AsType[*egress.Error](err); ok {
		return err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}
