// Package apperr is the one error of Signalbox. It is made where something is
// refused or goes wrong, crosses gRPC intact, and becomes the body
// {error, code, details} at the edge. Message and details are written for the
// client; the cause stays in the process and is for logs alone. It is not for
// errors that never leave a package: those are plain Go errors.
package apperr

import (
	"errors"
	"maps"
	"time"
)

// internalMessage is all that a client learns of an error nobody foresaw.
const internalMessage = "internal error"

// Details are facts about an error, by name, that a client may read. Values
// must be encodable as JSON.
type Details map[string]any

// Error is an error with a code.
type Error struct {
	Code    Code
	Message string
	Details Details
	// RetryAfter is when a retry may succeed; zero leaves it to the edge. It is
	// told only where a retry is any use, and of a budget.
	RetryAfter time.Duration
	// NoRetry says that trying again is no use, whatever the code means
	// otherwise.
	NoRetry bool
	cause   error
}

// New makes an error whose message a client may read.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// With returns a copy that has one more detail.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = Details{}
	}
	c.Details[name] = value
	return &c
}

// After returns a copy that tells when to try again.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Final returns a copy that tells clients not to try again, although the code
// would let them: all the time there was has been used up.
func (e *Error) Final() *Error {
	c := *e
	c.NoRetry = true
	return &c
}

// Retryable is whether the same call may succeed later.
func (e *Error) Retryable() bool { return e.Code.Spec().Retryable && !e.NoRetry }

// Because returns a copy with the cause, which never leaves the process.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error is for logs: it shows the cause.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// From finds the Error in err. Any other error becomes an opaque internal one
// with err as its cause. From(nil) is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, internalMessage).Because(err)
}

// CodeOf is the code a client would see for err; empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}

// Is reports whether err has the code.
func Is(err error, code Code) bool { return CodeOf(err) == code }
