// Package httpapi reads the requests of the dashboard's API and writes its
// responses. It parses query strings, ids and JSON bodies strictly: an unknown,
// repeated or malformed part is an error that names the part. It writes JSON,
// gives every request an id, and converts the errors of other services. The
// packages of the API and web use it.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

type contextKey struct{}

// WithRequestID gives a request a new id and returns both.
func WithRequestID(r *http.Request) (*http.Request, string) {
	id := newRequestID()
	return r.WithContext(context.WithValue(r.Context(), contextKey{}, id)), id
}

// newRequestID returns an empty id if the system cannot generate random numbers. A
// response without an id is better than no response.
func newRequestID() string {
	id, err := uuid.NewV7()
	if err != nil {
		return ""
	}
	return id.String()
}

// RequestID returns the id of a request, or "" if it has none.
func RequestID(r *http.Request) string {
	id, _ := r.Context().Value(contextKey{}).(string)
	return id
}

// LogFailure logs server errors with details that the client does not see. It does
// not log errors that the client caused.
func LogFailure(log *slog.Logger, r *http.Request, err error) {
	code := apperr.CodeOf(err)
	if code.Spec().Status < http.StatusInternalServerError || r.Context().Err() != nil {
		return
	}
	log.Error("request failed", "request_id", RequestID(r), "method", r.Method, "path", r.URL.Path,
		"code", string(code), "error", err)
}

// AbortResponse closes the connection before the response is complete, so that the
// client notices the error.
func AbortResponse(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Unix(1, 0))
}

// NotFoundError says that the object of a request does not exist.
func NotFoundError(what string) error {
	return apperr.New(apperr.NotFound, "the "+what+" does not exist")
}

// ToAccountsError returns errors that keyauth reported unchanged. All other errors
// mean that keyauth cannot be reached.
func ToAccountsError(err error) error {
	return orUnavailable(err, apperr.New(apperr.AuthUnavailable, "the account service cannot be reached"))
}

// ToRouterError returns errors that the router reported unchanged. All other errors
// mean that the router cannot be reached.
func ToRouterError(err error) error {
	return orUnavailable(err, apperr.New(apperr.RoutingUnavailable, "the router cannot be reached; try again in a moment"))
}

// orUnavailable returns err unchanged if it is nil or if the service reported it.
// Any other error means that the service cannot be reached. orUnavailable then
// returns otherwise with err as its cause.
func orUnavailable(err error, otherwise *apperr.Error) error {
	var reported *apperr.Error
	if err == nil || errors.As(err, &reported) {
		return err
	}
	return otherwise.WithCause(err)
}
