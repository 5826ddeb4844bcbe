// Package apperr defines Error, the type of all errors that leave a Signalbox process. Services
// send an Error to each other over gRPC. Clients receive it as the HTTP body {error, code, details}.
// Message and details are public. The cause is for logs and never leaves the process. Errors that
// stay within a package are plain Go errors.
package apperr

import (
	"errors"
	"maps"
	"time"
)

const internalMessage = "internal error"

// Details are public facts about an error, by name. Every value must be encodable as JSON.
type Details map[string]any

// Error is an error with a code and a public message.
type Error struct {
	Code    Code
	Message string
	Details Details
	// RetryAfter is the delay after which a retry may succeed. Zero means the default delay
	// of one second. Responses contain the delay only for retryable errors and exceeded budgets.
	RetryAfter time.Duration
	// NoRetry means that clients should not retry, although the code is retryable.
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

// WithoutRetry returns a copy that clients should not retry, although the code is retryable.
// An example is a request whose total deadline has passed.
func (e *Error) WithoutRetry() *Error {
	c := *e
	c.NoRetry = true
	return &c
}

// IsRetryable reports whether the same call may succeed later.
func (e *Error) IsRetryable() bool { return e.Code.Spec().Retryable && !e.NoRetry }

// WithCause returns a copy with the given cause. The cause never leaves the process.
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

// From returns the Error that err wraps. If err wraps none, From returns an internal error
// with err as its cause. From(nil) is nil.
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

// CodeOf returns the code that a client sees for err. It is empty if err is nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// Is reports whether CodeOf(err) is code.
func Is(err error, code Code) bool { return CodeOf(err) == code }
