package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
)

// shapedError is an error body with the members that every vendor's format has here.
type shapedError struct {
	Type      string
	Error     json.RawMessage
	RequestID string `json:"request_id"`
	Code      apperr.Code
	Details   map[string]any
	message   string
}

// requireShape checks that an error body has the format.
func requireShape(t *testing.T, format apperr.Format, code apperr.Code, body string) shapedError {
	t.Helper()
	var e shapedError
	require.NoError(t, json.Unmarshal([]byte(body), &e), body)
	require.Equal(t, code, e.Code, body)
	require.NotEmpty(t, e.Details["request_id"], body)
	if format == apperr.Flat {
		require.NoError(t, json.Unmarshal(e.Error, &e.message), body)
		return e
	}
	var inner struct {
		Type, Status, Message string
		Code                  any
	}
	require.NoError(t, json.Unmarshal(e.Error, &inner), body)
	e.message = inner.Message
	require.NotEmpty(t, inner.Message, body)
	switch format {
	case apperr.Anthropic:
		require.Equal(t, "error", e.Type, body)
		require.NotEmpty(t, inner.Type, body)
		require.Equal(t, e.Details["request_id"], e.RequestID, body)
	case apperr.Responses:
		require.NotEmpty(t, inner.Type, body)
		require.Equal(t, string(code), inner.Code, body)
	case apperr.Gemini:
		require.NotEmpty(t, inner.Status, body)
		require.EqualValues(t, code.Spec().Status, inner.Code, body)
	}
	return e
}

// Every error has the format of the client's protocol, from the first one on.
func TestErrorsHaveTheFormatOfTheProtocol(t *testing.T) {
	long := `{"model":"opus","messages":[{"role":"user","content":"` + strings.Repeat("x", 2<<20) + `"}]}`
	for path, format := range map[string]apperr.Format{
		messagesPath: apperr.Anthropic, countPath: apperr.Anthropic, responsesPath: apperr.Responses,
		geminiPath + "flash:testContent": apperr.Gemini, "/proxy/v1/chat/completions": apperr.Flat,
	} {
		v := newVendors(t, "opus")
		for _, tt := range []struct {
			method, path, body string
			code               apperr.Code
			headers            []string
		}{
			{"POST", path, "{}", apperr.AuthMissingKey, nil},
			{"POST", path, "{}", apperr.InvalidRequest, []string{testKey, "Authorization: Bearer other"}},
			{"POST", path + "/nothing", "{}", apperr.EndpointNotFound, []string{testKey}},
			{"DELETE", path, "", apperr.MethodNotAllowed, []string{testKey}},
			{"POST", path, long, apperr.RequestTooLarge, []string{testKey}},
			{"POST", path, "{", apperr.InvalidJSON, []string{testKey}},
			{"POST", path, "{}", apperr.UnsupportedMediaType, []string{testKey, "Content-Type: text/plain", "Content-Encoding: br"}},
		} {
			if tt.code == apperr.EndpointNotFound && format == apperr.Gemini {
				tt.path = geminiPath + "flash:nothing"
			}
			res, body := v.send(t, tt.method, tt.path, tt.body, append(tt.headers, "X-Error-Format: flat")...)
			require.Equal(t, tt.code.Spec().Status, res.StatusCode, "%s %s: %s", tt.method, tt.path, body)
			requireShape(t, format, tt.code, body)
			require.Equal(t, format == apperr.Anthropic, res.Header.Get("Request-Id") != "", tt.path)
		}
		if path == countPath {
			continue // it calls no provider
		}
		v = newVendors(t, "opus")
		v.deps.Providers = func(*policy.Policy) dispatch.Providers { panic("a fault") }
		res, body := v.send(t, "POST", path, messagesBody("gpt", ""), testKey)
		require.Equal(t, http.StatusInternalServerError, res.StatusCode, body)
		requireShape(t, format, apperr.Internal, body)
	}
}

// The header X-Error-Format applies to chat completions only.
func TestXErrorFormat(t *testing.T) {
	v := newVendors(t, "opus")
	_, body := v.send(t, "POST", "/proxy/v1/chat/completions", "{}", "X-Error-Format: openai")
	require.Contains(t, body, `{"error":{"message":`)
	_, body = v.send(t, "POST", messagesPath, "{}", "X-Error-Format: openai")
	requireShape(t, apperr.Anthropic, apperr.AuthMissingKey, body)
	_, body = v.send(t, "GET", "/proxy/v1/models", "", "Anthropic-Version: 2023-06-01")
	requireShape(t, apperr.Anthropic, apperr.AuthMissingKey, body)
	_, body = v.send(t, "GET", "/proxy/v1/models", "")
	requireShape(t, apperr.Flat, apperr.AuthMissingKey, body)
}
