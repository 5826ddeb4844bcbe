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

// These are the phases of a call after the connection is established. Package egress
// defines the earlier phases.
const (
	phaseRequest  = string(egress.PhaseRequest)
	phaseResponse = "response"
	phaseStream   = "stream"
)

// InvalidResponse returns the error for an unusable response. problem is the rest of a
// sentence that starts with the provider's name. reason is a short code for programs.
func (c *Client) InvalidResponse(reason, problem string) error {
	return apperr.New(apperr.ProviderInvalidResponse, "provider "+c.name+" "+problem).With("reason", reason)
}

// connectionError returns the error of a call whose connection failed. If err is an
// *egress.Error, its phase replaces the given phase. After a stale connection the error is a
// *provider.RepeatError.
func (c *Client) connectionError(ctx context.Context, phase string, err error) error {
	if ctx.Err() != nil {
		return provider.ContextError(ctx)
	}
	if known, ok := errors.AsType[*apperr.Error](err); ok {
		return known
	}
	code, message := apperr.ProviderConnection, "the connection to provider "+c.name+" failed"
	if e, ok := errors.AsType[*egress.Error](err); ok {
		phase = string(e.Phase)
		if e.Phase != egress.PhaseRequest && e.Timeout() {
			code, message = apperr.ProviderTimeout, "connecting to provider "+c.name+" took too long"
		}
		if e.Stale {
			return &provider.RepeatError{Reason: provider.StaleConnection, Err: newConnectionError(code, message, phase, err)}
		}
	}
	return newConnectionError(code, message, phase, err)
}

func newConnectionError(code apperr.Code, message, phase string, cause error) error {
	return apperr.New(code, message).With("phase", phase).WithCause(stripAddresses(cause))
}

// stripAddresses removes the error wrappers that contain a URL or a network address.
func stripAddresses(err error) error {
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
