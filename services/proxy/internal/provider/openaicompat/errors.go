package openaicompat

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

// broken is a call that failed below HTTP, in the phase or, where it never
// connected, in the one that egress tells.
func (p *Provider) broken(ctx context.Context, phase string, err error) error {
	if ctx.Err() != nil {
		return provider.Ended(ctx)
	}
	code, message := apperr.ProviderConnection, "the connection to provider "+p.name+" failed"
	if e, ok := errors.AsType[*egress.Error](err); ok {
		phase = string(e.Phase)
		if e.Timeout() {
			code, message = apperr.ProviderTimeout, "connecting to provider "+p.name+" took too long"
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

func (p *Provider) invalid(reason, what string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "provider "+p.name+" "+what).With("reason", reason)
}
