package apperr_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

type answer struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func write(t *testing.T, err error, id string, f apperr.Format) answer {
	t.Helper()
	w := httptest.NewRecorder()
	w.Header().Set("Content-Length", "9999")
	apperr.Write(w, err, apperr.Options{RequestID: id, Format: f, PublicURL: "https://box.example"})
	a := answer{status: w.Code, header: w.Result().Header, raw: w.Body.String()}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &a.body))
	return a
}

func TestEveryCodeOverHTTP(t *testing.T) {
	for _, code := range codes(t) {
		t.Run(string(code), func(t *testing.T) {
			spec := code.Spec()
			err := apperr.New(code, "what happened").With("param", "n").WithCause(errSecret)
			flat := write(t, err, "id-1", apperr.Flat)
			nested := write(t, err, "id-1", apperr.OpenAI)
			for _, a := range []answer{flat, nested} {
				require.Equal(t, spec.Status, a.status)
				require.Equal(t, "application/json", a.header.Get("Content-Type"))
				require.Equal(t, string(code), a.header.Get("X-Error-Code"))
				require.Equal(t, strconv.FormatBool(spec.Retryable), a.header.Get("X-Should-Retry"))
				require.Equal(t, "id-1", a.header.Get("X-Request-Id"))
				require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
				require.Empty(t, a.header.Get("Content-Length"), "of another body")
				require.Equal(t, spec.Retryable, a.header.Get("Retry-After") != "")
				require.Equal(t, spec.Retryable, a.header.Get("Retry-After-Ms") != "")
				require.NotContains(t, a.raw, "hunter2")
			}
			details := map[string]any{"param": "n", "request_id": "id-1", "retryable": spec.Retryable, "docs": "https://box.example/docs/errors#" + string(code)}
			if spec.Retryable {
				details["retry_after_ms"] = float64(1000)
			}
			require.Equal(t, map[string]any{"error": "what happened", "code": string(code), "details": details}, flat.body)
			inner := nested.body["error"].(map[string]any)
			require.NotEmpty(t, inner["type"])
			delete(inner, "type")
			require.Equal(t, map[string]any{"message": "what happened", "param": "n", "code": string(code), "details": details}, inner)
		})
	}
}

func TestNestedType(t *testing.T) {
	for code, want := range map[apperr.Code]string{
		apperr.AuthInvalidKey:    "authentication_error",
		apperr.ModelNotAllowed:   "permission_error",
		apperr.BudgetExceeded:    "insufficient_quota",
		apperr.RateLimitExceeded: "rate_limit_error",
		apperr.InvalidJSON:       "invalid_request_error",
		apperr.ModelNotFound:     "invalid_request_error",
		apperr.RequestTooLarge:   "invalid_request_error",
		apperr.Internal:          "api_error",
		apperr.ProviderTimeout:   "api_error",
	} {
		inner := write(t, apperr.New(code, "m"), "", apperr.OpenAI).body["error"].(map[string]any)
		require.Equal(t, want, inner["type"], code)
		require.Nil(t, inner["param"], "present and null")
		require.Contains(t, inner, "param")
	}
}

func TestRetryAfter(t *testing.T) {
	tests := []struct {
		name             string
		give             *apperr.Error
		should, secs, ms string
	}{
		{"default", apperr.New(apperr.RateLimitExceeded, "m"), "true", "1", "1000"},
		{"rounded up", apperr.New(apperr.RateLimitExceeded, "m").WithRetryAfter(1500 * time.Millisecond), "true", "2", "1500"},
		{"never zero seconds", apperr.New(apperr.RateLimitExceeded, "m").WithRetryAfter(20 * time.Millisecond), "true", "1", "20"},
		{"as long as clients wait", apperr.New(apperr.RateLimitExceeded, "m").WithRetryAfter(time.Minute), "true", "60", "60000"},
		{"longer", apperr.New(apperr.RateLimitExceeded, "m").WithRetryAfter(61 * time.Second), "false", "61", "61000"},
		{"not retryable, with a time", apperr.New(apperr.PolicyDenied, "m").WithRetryAfter(5 * time.Second), "false", "", ""},
		{"a budget, with its reset", apperr.New(apperr.BudgetExceeded, "m").WithRetryAfter(5 * time.Second), "false", "5", "5000"},
		{"not retryable", apperr.New(apperr.BudgetExceeded, "m"), "false", "", ""},
		{"final", apperr.New(apperr.ProviderTimeout, "m").WithoutRetry(), "false", "", ""},
		{"final, with a time", apperr.New(apperr.RateLimitExceeded, "m").WithRetryAfter(time.Second).WithoutRetry(), "false", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := write(t, tt.give, "", apperr.Flat).header
			require.Equal(t, tt.should, h.Get("X-Should-Retry"))
			require.Equal(t, tt.secs, h.Get("Retry-After"))
			require.Equal(t, tt.ms, h.Get("Retry-After-Ms"))
			require.NotContains(t, h, "X-Request-Id")
		})
	}
}

func TestAFinalErrorSaysSoInItsDetails(t *testing.T) {
	details := write(t, apperr.New(apperr.ProviderTimeout, "m").WithoutRetry(), "", apperr.Flat).body["details"]
	require.Equal(t, map[string]any{"retryable": false, "docs": "https://box.example/docs/errors#PROVIDER_TIMEOUT"}, details)
}

func TestDocsLinkIsAPathWithoutPublicURL(t *testing.T) {
	body := apperr.New(apperr.NotFound, "m").Body(apperr.Options{})
	require.JSONEq(t, `{"error": "m", "code": "NOT_FOUND", "details": {"retryable": false, "docs": "/docs/errors#NOT_FOUND"}}`, string(body))
}

func TestAnErrorAlwaysHasAText(t *testing.T) {
	e := apperr.New(apperr.PolicyDenied, "")
	require.Equal(t, "policy denied", write(t, e, "", apperr.Flat).body["error"])
	require.Equal(t, "policy denied", write(t, e, "", apperr.OpenAI).body["error"].(map[string]any)["message"])
}

func TestUnknownErrorIsOpaqueOverHTTP(t *testing.T) {
	a := write(t, errSecret, "", apperr.Flat)
	require.Equal(t, 500, a.status)
	require.Equal(t, "INTERNAL_ERROR", a.body["code"])
	require.Equal(t, "internal error", a.body["error"])
	require.NotContains(t, a.raw, "hunter2")
}

func TestDetailsThatCannotBeEncodedAreDropped(t *testing.T) {
	err := apperr.New(apperr.ModelNotFound, "no such model").With("oops", func() {})
	flat := write(t, err, "id-1", apperr.Flat)
	require.Equal(t, 404, flat.status)
	require.Equal(t, "MODEL_NOT_FOUND", flat.body["code"])
	require.Equal(t, "no such model", flat.body["error"])
	require.Equal(t, "id-1", flat.body["details"].(map[string]any)["request_id"])
	nested := write(t, err, "id-1", apperr.OpenAI).body["error"].(map[string]any)
	require.Equal(t, "MODEL_NOT_FOUND", nested["code"])
}

func TestWritingDoesNotChangeTheError(t *testing.T) {
	e := apperr.New(apperr.InvalidRequest, "bad").With("param", "n")
	write(t, e, "id-1", apperr.Flat)
	require.Equal(t, apperr.Details{"param": "n"}, e.Details)
}

// An error inside a stream has no HTTP status of its own. Google's clients raise only errors
// with a code from 400 on.
func TestNativeFormatsOfStreamErrors(t *testing.T) {
	var gemini, anthropic struct {
		Error struct {
			Code         int
			Status, Type string
		}
	}
	err := apperr.New(apperr.ProviderInterrupted, "m")
	require.NoError(t, json.Unmarshal(err.Body(apperr.Options{Format: apperr.Gemini}), &gemini))
	require.Equal(t, http.StatusBadGateway, gemini.Error.Code)
	require.Equal(t, "UNAVAILABLE", gemini.Error.Status)
	require.NoError(t, json.Unmarshal(err.Body(apperr.Options{Format: apperr.Anthropic}), &anthropic))
	require.Equal(t, "api_error", anthropic.Error.Type)
}

func TestNativeFormats(t *testing.T) {
	for code, want := range map[apperr.Code]struct{ responses, anthropic, gemini string }{
		apperr.InvalidRequest:    {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
		apperr.ModelNotFound:     {"invalid_request_error", "not_found_error", "NOT_FOUND"},
		apperr.RequestTooLarge:   {"invalid_request_error", "request_too_large", "INVALID_ARGUMENT"},
		apperr.RateLimitExceeded: {"rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"},
		apperr.GatewayOverloaded: {"api_error", "overloaded_error", "UNAVAILABLE"},
		apperr.ProviderTimeout:   {"api_error", "timeout_error", "DEADLINE_EXCEEDED"},
		apperr.Internal:          {"api_error", "api_error", "INTERNAL"},
	} {
		err := apperr.New(code, "m").With("param", "p")
		for format, kind := range map[apperr.Format]string{apperr.Responses: want.responses, apperr.Anthropic: want.anthropic, apperr.Gemini: want.gemini} {
			res := write(t, err, "id-1", format)
			require.Equal(t, string(code), res.body["code"])
			require.Equal(t, "p", res.body["details"].(map[string]any)["param"])
			inner := res.body["error"].(map[string]any)
			require.Equal(t, "m", inner["message"])
			switch format {
			case apperr.Gemini:
				require.Equal(t, kind, inner["status"], code)
				require.EqualValues(t, code.Spec().Status, inner["code"])
			case apperr.Anthropic:
				require.Equal(t, kind, inner["type"], code)
				require.Equal(t, "error", res.body["type"])
				require.Equal(t, "id-1", res.body["request_id"])
			default:
				require.Equal(t, kind, inner["type"], code)
				require.Equal(t, "p", inner["param"])
			}
		}
	}
}
