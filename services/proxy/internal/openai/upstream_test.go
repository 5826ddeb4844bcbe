package openai_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
)

func TestUpstreamErrorCodes(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		want   apperr.Code
	}{
		{400, `{"error":{"message":"bad"}}`, apperr.ProviderBadRequest},
		{422, `{"detail":[{"msg":"bad"}]}`, apperr.ProviderBadRequest},
		{400, `{"error":{"message":"x","code":"context_length_exceeded"}}`, apperr.ContextLengthExceeded},
		{400, `{"error":{"message":"prompt is too long: 9 tokens"}}`, apperr.ContextLengthExceeded},
		{413, `{"message":"This model's maximum context length is 8"}`, apperr.ContextLengthExceeded},
		{400, `{"error":{"message":"x","code":"content_filter"}}`, apperr.ContentFiltered},
		{401, `{"error":"no"}`, apperr.ProviderAuth},
		{403, ``, apperr.ProviderAuth},
		{402, ``, apperr.ProviderQuotaExhausted},
		{429, `{"error":{"type":"insufficient_quota"}}`, apperr.ProviderQuotaExhausted},
		{404, `{}`, apperr.ProviderModelUnavailable},
		{408, ``, apperr.ProviderTimeout},
		{504, ``, apperr.ProviderTimeout},
		{413, ``, apperr.RequestTooLarge},
		{429, `[{"error":{"code":429,"message":"x","status":"RESOURCE_EXHAUSTED"}}]`, apperr.ProviderRateLimited},
		{503, ``, apperr.ProviderOverloaded},
		{529, ``, apperr.ProviderOverloaded},
		{500, `{"error":{"type":"overloaded_error"}}`, apperr.ProviderOverloaded},
		{500, `null`, apperr.ProviderUpstream},
		{502, `<html><body>bad gateway</body></html>`, apperr.ProviderUpstream},
		{418, ``, apperr.ProviderUpstream},
	} {
		e := openai.UpstreamError(tc.status, nil, []byte(tc.body))
		require.Equal(t, tc.want, e.Code, "%d %s", tc.status, tc.body)
		require.Equal(t, tc.status, e.Details["upstream_status"])
		require.NotEmpty(t, e.Message)
	}
}

func TestUpstreamErrorQuotesWhatIsForTheClient(t *testing.T) {
	e := openai.UpstreamError(400, nil, []byte(`{"error":{"message":"tools[0] is \"odd\"","type":"invalid_request_error","code":"bad_tool"}}`))
	require.Equal(t, `tools[0] is "odd"`, e.Message)
	require.Equal(t, "bad_tool", e.Details["upstream_code"])
	require.Equal(t, `tools[0] is "odd"`, e.Details["upstream_message"])

	e = openai.UpstreamError(400, nil, []byte("no such field"))
	require.Equal(t, "no such field", e.Message)

	e = openai.UpstreamError(400, nil, []byte(`{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`))
	require.Contains(t, e.Message, "context_length_exceeded")
	require.Contains(t, e.Message, "maximum context length")
	require.Contains(t, e.Message, "too many tokens")
}

func TestUpstreamErrorHidesTheRest(t *testing.T) {
	e := openai.UpstreamError(401, nil, []byte(`{"error":{"message":"Incorrect API key provided: sk-secret"}}`))
	require.NotContains(t, string(e.Body("", apperr.Flat)), "sk-secret")

	e = openai.UpstreamError(502, nil, []byte(" <html>inner.host</html>"))
	require.NotContains(t, string(e.Body("", apperr.Flat)), "inner.host")

	e = openai.UpstreamError(429, nil, []byte(`{"error":{"message":"check your billing details"}}`))
	require.NotContains(t, e.Message, "billing")

	e = openai.UpstreamError(400, nil, []byte(`{"error":"`+strings.Repeat("\u00e4", 3000)+`"}`))
	require.Equal(t, strings.Repeat("\u00e4", 1024), e.Message)
}

func TestUpstreamErrorTellsWhenToRetry(t *testing.T) {
	for name, tc := range map[string]struct {
		header map[string][]string
		want   time.Duration
	}{
		"seconds":      {map[string][]string{"Retry-After": {"7"}}, 7 * time.Second},
		"milliseconds": {map[string][]string{"Retry-After": {"7"}, "Retry-After-Ms": {"250"}}, 250 * time.Millisecond},
		"fraction":     {map[string][]string{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		"none":         {nil, 0},
		"nonsense":     {map[string][]string{"Retry-After": {"soon"}}, 0},
		"negative":     {map[string][]string{"Retry-After": {"-5"}}, 0},
		"NaN":          {map[string][]string{"Retry-After": {"NaN"}}, 0},
		"endless":      {map[string][]string{"Retry-After": {"1e300"}}, 24 * time.Hour},
		"past":         {map[string][]string{"Retry-After": {"Mon, 02 Jan 2006 15:04:05 GMT"}}, 0},
		"far date":     {map[string][]string{"Retry-After": {"Fri, 02 Jan 2222 15:04:05 GMT"}}, 24 * time.Hour},
	} {
		require.Equal(t, tc.want, openai.UpstreamError(429, tc.header, nil).RetryAfter, name)
	}
}
