package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// Counting tokens calls no provider and writes no record, but it is limited.
func TestCountingTokens(t *testing.T) {
	v := newVendors(t, "opus")
	v.limits = limits.Set{RequestsPerMinute: 3, NanoUSDPerDay: 1}
	for _, model := range []string{"opus", "auto", "claude-auto"} {
		res, body := v.send(t, http.MethodPost, countPath, messagesBody(model, ""), testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, body)
		require.Regexp(t, `^\{"input_tokens":[1-9][0-9]*\}$`, body)
		require.NotEmpty(t, res.Header.Get("Request-Id"))
	}
	res, body := v.send(t, http.MethodPost, countPath, messagesBody("opus", ""), testKey)
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode, body)
	requireShape(t, apperr.Anthropic, apperr.RateLimitExceeded, body)
	require.Empty(t, v.records)
	require.Empty(t, v.claude.Received())
}

func TestCountingTokensOfAnInvalidRequest(t *testing.T) {
	v := newVendors(t, "opus")
	res, body := v.send(t, http.MethodPost, countPath, `{"model":"opus","messages":1}`, testKey)
	require.Equal(t, http.StatusBadRequest, res.StatusCode, body)
	requireShape(t, apperr.Anthropic, apperr.InvalidRequest, body)
	require.Empty(t, v.records)
}
