package api_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Every endpoint accepts the key in the header of every vendor.
func TestKeysAreAcceptedInEveryHeader(t *testing.T) {
	v := newVendors(t, "opus")
	for _, path := range []string{
		"/proxy/v1/chat/completions", messagesPath, countPath, responsesPath, geminiPath + "flash:testContent",
		"/proxy/v1/models", "/proxy/v1beta/models",
	} {
		for _, header := range []string{"Authorization: Bearer ", "authorization: bearer ", "api-key: ", "x-api-key: ", "x-goog-api-key: "} {
			v.seen = nil
			res, body := v.send(t, methodOf(path), path, messagesBody("gpt", ""), header+"sbx_one")
			require.NotEqual(t, http.StatusUnauthorized, res.StatusCode, body)
			require.Contains(t, v.seen, "sbx_one", path+" "+header)
		}
		v.seen = nil
		_, _ = v.send(t, methodOf(path), path, "{}", "Authorization: Bearer sbx_one", "x-api-key: sbx_one", "x-goog-api-key: sbx_one")
		require.Contains(t, v.seen, "sbx_one", "the same key three times")

		for _, two := range [][]string{
			{"Authorization: Bearer sbx_one", "x-api-key: sbx_two"}, {"x-api-key: sbx_one", "x-goog-api-key: sbx_two"},
			{"x-goog-api-key: sbx_one", "x-goog-api-key: sbx_two"}, {"api-key: sbx_one", "Authorization: Bearer sbx_two"},
			{"Authorization: Bearer sbx_one", "x-api-key: sbx_two", "x-goog-api-key: sbx_one"},
		} {
			v.seen = nil
			res, body := v.send(t, methodOf(path), path, "{}", two...)
			require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
			require.Equal(t, string(apperr.InvalidRequest), res.Header.Get("X-Error-Code"))
			require.Contains(t, body, "two different API keys were sent")
			require.NotContains(t, body, "sbx_")
			require.Empty(t, v.seen)
		}
	}
}

func methodOf(path string) string {
	if path == "/proxy/v1/models" || path == "/proxy/v1beta/models" {
		return http.MethodGet
	}
	return http.MethodPost
}

// Only clients of Gemini may send the key in the URL. It does not appear anywhere.
func TestKeysInTheURL(t *testing.T) {
	var logs bytes.Buffer
	v := newVendors(t, "opus")
	v.deps.Log, v.deps.LogKeyless = slog.New(slog.NewTextHandler(&logs, &slog.HandlerOptions{Level: slog.LevelDebug})), true
	const contents = `{"contents":[]}`
	for _, tt := range []struct {
		path, header string
		status       int
	}{
		{geminiPath + "flash:testContent?key=sbx_secret", "", http.StatusOK},
		{geminiPath + "flash:streamTestContent?alt=sse&key=sbx_secret", "", http.StatusOK},
		{geminiPath + "flash:testContent?key=sbx_secret", "x-goog-api-key: sbx_secret", http.StatusOK},
		{geminiPath + "flash:testContent?key=sbx_secret", "x-goog-api-key: sbx_other", http.StatusBadRequest},
		{geminiPath + "flash:testContent?key=sbx_secret&key=sbx_other", "", http.StatusBadRequest},
		{geminiPath + "flash:nothing?key=sbx_secret", "", http.StatusNotFound},
		{geminiPath + "unknown:testContent?key=sbx_secret", "", http.StatusNotFound},
		{messagesPath + "?key=sbx_secret", "", http.StatusUnauthorized},
		{"/proxy/v1/chat/completions?key=sbx_secret", "", http.StatusUnauthorized},
	} {
		res, body := v.send(t, http.MethodPost, tt.path, contents, tt.header)
		require.Equal(t, tt.status, res.StatusCode, "%s: %s", tt.path, body)
		require.NotContains(t, body, "sbx_secret")
		require.NotContains(t, fmt.Sprint(res.Header), "sbx_secret")
	}
	require.NotEmpty(t, v.records)
	for _, r := range v.records {
		require.NotContains(t, fmt.Sprintf("%+v", *r), "sbx_secret")
	}
	require.NotEmpty(t, logs.String())
	require.NotContains(t, logs.String(), "sbx_secret")
	for _, r := range v.google.Received() {
		require.NotContains(t, r.Query, "sbx_secret")
	}
}
