// Package apperr defines Error, the error that leaves a Signalbox process. It
// crosses gRPC unchanged and becomes the HTTP body {error, code, details} for clients.
// Message and details are public. The cause is for logs and never leaves the process.
// Errors that stay within a package are plain Go errors.
package apperr

import (
	"errors"
	"maps"
	"time"
)

// internalMessage is the public message of every unexpected error.
const internalMessage = "internal error"

// Details are public facts about an error by name. Values must encode as JSON.
type Details map[string]any

// Error is an error with a code.
type Error struct {
	Code    Code
	Message string
	Details Details
	// RetryAfter is the delay after which a retry may succeed; zero means the default
	// delay. Clients see the delay only for retryable errors and exceeded budgets.
	RetryAfter time.Duration
	// NoRetry marks the error as final although its code is retryable.
	NoRetry bool
	cause   error
}

// New returns an error with a public message.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// With returns a copy with one more detail.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = Details{}
	}
	c.Details[name] = value
	return &c
}

// WithRetryAfter returns a copy with the delay after which clients should retry.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// WithoutRetry returns a copy that clients should not retry although the code is
// retryable, for example because the total deadline has passed.
func (e *Error) WithoutRetry() *Error {
	c := *e
	c.NoRetry = true
	return &c
}

// IsRetryable reports whether the same call may succeed later.
func (e *Error) IsRetryable() bool { return e.Code.Spec().Retryable && !e.NoRetry }

// WithCause returns a copy with the cause, which never leaves the process.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error returns the text for logs, including the cause.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From finds the Error in err. Any other error becomes an internal error with err as
// its cause. From(nil) is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, internalMessage).WithCause(err)
}

// CodeOf returns the code that a client would see for err; it is empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// Is reports whether err has the code.
func Is(err error, code Code) bool { return CodeOf(err) == code }
