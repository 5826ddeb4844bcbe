package apperr

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Format selects the JSON structure of an error response.
type Format int

const (
	// Flat is {error, code, details}, the default.
	Flat Format = iota
	// OpenAI is the nested {error: {message, type, param, code, details}}, for clients
	// that cannot decode the flat format.
	OpenAI
	// Responses is OpenAI's format for the Responses protocol. It has the top-level members
	// code and details of the flat format added.
	Responses
	// Anthropic is Anthropic's format with code and details added.
	Anthropic
	// Gemini is Google's format with code and details added.
	Gemini
)

// defaultRetryAfter is the delay for retryable errors whose RetryAfter is zero. Responses
// contain it, because some clients retry a 429 only with a Retry-After header.
const defaultRetryAfter = time.Second

// docsPath is the path of the documentation of a code, without the code.
const docsPath = "/docs/errors#"

// maxRetryWait is the longest delay that all clients honor. Several clients ignore a longer
// delay and retry at once. So X-Should-Retry is false for longer delays.
const maxRetryWait = 60 * time.Second

// Options are the parts of an error response that come from the request or the configuration.
type Options struct {
	// RequestID is the id of the request. It is empty if the request has none.
	RequestID string
	Format    Format
	// PublicURL is the scheme and host of the documentation, such as
	// https://signalbox.example.com. If it is empty, the response contains a link without a host.
	PublicURL string
}

// Write writes err as the response. The caller must not have written anything before.
func Write(w http.ResponseWriter, err error, o Options) {
	e := From(err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Error-Code", string(e.Code))
	h.Set("X-Should-Retry", strconv.FormatBool(e.shouldRetry()))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	if o.RequestID != "" {
		h.Set("X-Request-Id", o.RequestID)
	}
	if d, ok := e.retryDelay(); ok {
		h.Set("Retry-After", strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10))
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
	w.WriteHeader(e.Code.Spec().Status)
	_, _ = w.Write(e.Body(o))
}

// Body returns the JSON of the error response. It can also be sent as an event of a stream.
func (e *Error) Body(o Options) []byte {
	b, err := json.Marshal(e.buildBody(e.publicDetails(e.Details, o), o.Format))
	if err != nil {
		// Details that cannot be encoded are a bug of the caller. Then the error is sent
		// without them.
		b, _ = json.Marshal(e.buildBody(e.publicDetails(nil, o), o.Format))
	}
	return b
}

// publicDetails returns the given details together with the details that every error has.
func (e *Error) publicDetails(own Details, o Options) Details {
	details := maps.Clone(own)
	if details == nil {
		details = Details{}
	}
	details["retryable"] = e.IsRetryable()
	details["docs"] = o.PublicURL + docsPath + string(e.Code)
	if o.RequestID != "" {
		details["request_id"] = o.RequestID
	}
	if d, ok := e.retryDelay(); ok {
		details["retry_after_ms"] = d.Milliseconds()
	}
	return details
}

func (e *Error) buildBody(details Details, format Format) any {
	switch format {
	case OpenAI:
		return nestedBody{Error: nestedError{
			Message: e.messageOrCode(), Type: e.nestedType(), Param: details["param"], Code: e.Code, Details: details,
		}}
	case Responses:
		return e.responsesBody(details)
	case Anthropic:
		return e.anthropicBody(details)
	case Gemini:
		return e.geminiBody(details)
	case Flat:
	}
	return flatBody{Error: e.messageOrCode(), Code: e.Code, Details: details}
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

// retryDelay returns how long clients should wait before a retry. It returns false if the
// response should contain no delay. An exceeded budget is a special case: clients should not
// retry, but the response contains RetryAfter, the time until the next budget period.
func (e *Error) retryDelay() (time.Duration, bool) {
	switch {
	case !e.IsRetryable() && (e.Code != BudgetExceeded || e.RetryAfter == 0):
		return 0, false
	case e.RetryAfter > 0:
		return e.RetryAfter, true
	}
	return defaultRetryAfter, true
}

func (e *Error) shouldRetry() bool {
	d, _ := e.retryDelay()
	return e.IsRetryable() && d <= maxRetryWait
}

// messageOrCode returns the message, or a text made from the code if the message is empty.
// Several clients show nothing but this text.
func (e *Error) messageOrCode() string {
	if e.Message != "" {
		return e.Message
	}
	return strings.ToLower(strings.ReplaceAll(string(e.Code), "_", " "))
}

// nestedType returns the value of OpenAI's field "type". It depends only on the HTTP status, so
// a new code needs no entry here.
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
		http.StatusExpectationFailed, http.StatusRequestHeaderFieldsTooLarge,
		http.StatusHTTPVersionNotSupported:
		return "invalid_request_error"
	}
	return "api_error"
}
