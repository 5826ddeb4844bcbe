package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
)

// Phase is the step in which a call failed.
type Phase string

// The phases in their order. PhaseGuard means that the address is not allowed. PhaseRequest
// means that the connection was lost after a byte of the request was written and before the
// response began or while its head arrived. The upstream may have executed the call. In the
// earlier phases nothing was written.
const (
	PhaseDNS     Phase = "dns"
	PhaseGuard   Phase = "guard"
	PhaseConnect Phase = "connect"
	PhaseTLS     Phase = "tls"
	PhaseRequest Phase = "request"
)

// ErrRefused is the cause of an Error if the guard rejected the address.
var ErrRefused = errors.New("the address is not public and allow_private is not set")

// Error means that a connection could not be made or was lost before the response. Its text contains neither host nor address,
// so that it can be logged and stored. Its cause may contain them.
type Error struct {
	Phase Phase
	// Stale means that the lost connection had served earlier calls and that no byte of this
	// response arrived. Most likely the upstream was closing the idle connection. An upstream
	// that crashes during the call looks the same. Over HTTP/2, Stale means that the upstream
	// rejected the stream, usually because it is closing the connection.
	Stale bool
	text  string
	cause error
}

// Error returns the phase and the problem.
func (e *Error) Error() string { return string(e.Phase) + ": " + e.text }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// Timeout reports whether a timeout expired.
func (e *Error) Timeout() bool { return timedOut(e.cause) }

func dialError(err error) *Error {
	var dns *net.DNSError
	switch {
	case errors.Is(err, ErrRefused):
		return &Error{Phase: PhaseGuard, text: ErrRefused.Error(), cause: err}
	case errors.As(err, &dns):
		return &Error{Phase: PhaseDNS, text: dnsText(dns), cause: err}
	}
	return &Error{Phase: PhaseConnect, text: describeError(err), cause: err}
}

// lostError is the error of a connection that ended after a byte of the request was written.
func lostError(err error, stale bool) *Error {
	return &Error{Phase: PhaseRequest, Stale: stale, text: "the connection was lost after the request was written", cause: err}
}

func isStale(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Stale
}

func tlsError(err error) *Error {
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &cert):
		return &Error{Phase: PhaseTLS, text: "the certificate is not valid for the host", cause: err}
	case errors.As(err, &record):
		return &Error{Phase: PhaseTLS, text: "the server does not support TLS", cause: err}
	}
	return &Error{Phase: PhaseTLS, text: describeError(err), cause: err}
}

func dnsText(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "no such host"
	case err.IsTimeout:
		return "timed out"
	}
	return "lookup failed"
}

// describeError describes an error without the addresses that errors of package net contain.
func describeError(err error) string {
	var errno syscall.Errno
	switch {
	case timedOut(err):
		return "timed out"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &errno):
		return errno.Error()
	}
	return "failed"
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
