package apperr

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Format is the shape of an error body.
type Format int

const (
	// Flat is {error, code, details}, the default.
	Flat Format = iota
	// OpenAI is the vendor's nested {error: {message, type, param, code}}, for
	// clients that cannot decode the flat one.
	OpenAI
)

// defaultRetryAfter is told to clients of retryable errors that name no delay:
// some clients retry a 429 only if they are told when.
const defaultRetryAfter = time.Second

// maxRetryWait is the longest wait that clients honour; beyond it several of
// them ignore the header and hammer, so they are told not to retry.
const maxRetryWait = 60 * time.Second

// Write answers with err. It must be called before anything else was written.
func Write(w http.ResponseWriter, err error, requestID string, format Format) {
	e := From(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Error-Code", string(e.Code))
	h.Set("X-Should-Retry", strconv.FormatBool(e.shouldRetry()))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	if requestID != "" {
		h.Set("X-Request-Id", requestID)
	}
	if d, ok := e.delay(); ok {
		h.Set("Retry-After", strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10))
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	w.WriteHeader(e.Code.Spec().Status)
	_, _ = w.Write(e.Body(requestID, format))
}

// Body is the JSON a client is shown, also inside a stream.
func (e *Error) Body(requestID string, format Format) []byte {
	b, err := json.Marshal(e.body(e.shown(e.Details, requestID), format))
	if err != nil {
		// Details that cannot be encoded are a bug of whoever made them; the
		// error itself matters more. What is left always encodes.
		b, _ = json.Marshal(e.body(e.shown(nil, requestID), format))
	}
	return b
}

// shown adds to the details what every error tells.
func (e *Error) shown(own Details, requestID string) Details {
	details := maps.Clone(own)
	if details == nil {
		details = Details{}
	}
	details["retryable"] = e.Retryable()
	if requestID != "" {
		details["request_id"] = requestID
	}
	if d, ok := e.delay(); ok {
		details["retry_after_ms"] = d.Milliseconds()
	}
	return details
}

func (e *Error) body(details Details, format Format) any {
	if format == OpenAI {
		return nestedBody{Error: nestedError{
			Message: e.text(), Type: e.nestedType(), Param: details["param"], Code: e.Code, Details: details,
		}}
	}
	return flatBody{Error: e.text(), Code: e.Code, Details: details}
}

type flatBody struct {
	Error   string  `json:"error"`
	Code    Code    `json:"code"`
	Details Details `json:"details"`
}

type nestedBody struct {
	Error nestedError `json:"error"`
}

type nestedError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   any     `json:"param"`
	Code    Code    `json:"code"`
	Details Details `json:"details"`
}

// delay is what clients are told to wait before they try again, which is
// nothing if they should not. A budget is the exception: nobody tries again by
// himself, and a person wants to know when there is a new one.
func (e *Error) delay() (time.Duration, bool) {
	switch {
	case !e.Retryable() && (e.Code != BudgetExceeded || e.RetryAfter == 0):
		return 0, false
	case e.RetryAfter > 0:
		return e.RetryAfter, true
	}
	return defaultRetryAfter, true
}

func (e *Error) shouldRetry() bool {
	d, _ := e.delay()
	return e.Retryable() && d <= maxRetryWait
}

// text is never empty: several clients show nothing else.
func (e *Error) text() string {
	if e.Message != "" {
		return e.Message
	}
	return strings.ToLower(strings.ReplaceAll(string(e.Code), "_", " "))
}

// nestedType is the vendor's coarse class, derived from the status so that a
// new code needs no second table.
func (e *Error) nestedType() string {
	switch e.Code.Spec().Status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusPaymentRequired:
		return "insufficient_quota"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusExpectationFailed, http.StatusRequestHeaderFieldsTooLarge:
		return "invalid_request_error"
	}
	return "api_error"
}
