package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
)

// Phase is the step in which a connection failed.
type Phase string

// The phases in their order. PhaseGuard means that the address is not allowed.
const (
	PhaseDNS     Phase = "dns"
	PhaseGuard   Phase = "guard"
	PhaseConnect Phase = "connect"
	PhaseTLS     Phase = "tls"
)

// ErrRefused is the cause of an Error if the guard rejected the address.
var ErrRefused = errors.New("the address is not public and allow_private is not set")

// Error means that a connection could not be made. Its text contains neither host nor address,
// so that it can be logged and stored. Its cause may contain them.
type Error struct {
	Phase Phase
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
