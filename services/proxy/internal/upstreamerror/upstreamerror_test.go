package upstreamerror_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/redact"
	"github.com/signalbox/signalbox/services/proxy/internal/upstreamerror"
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
		{403, `{"error":{"message":"your key was blocked","type":"permission_error"}}`, apperr.ProviderAuth},
		{403, `{"error":{"message":"Input flagged by moderation","code":403}}`, apperr.ContentFiltered},
		{403, `{"error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}`, apperr.ContentFiltered},
		{400, `{"error":{"message":"x","code":"moderation_blocked"}}`, apperr.ContentFiltered},
		{400, `{"error":{"message":"safety_settings is not a field"}}`, apperr.ProviderBadRequest},
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
		{405, ``, apperr.ProviderModelUnavailable},
		{409, ``, apperr.ProviderOverloaded},
		{410, ``, apperr.ProviderModelUnavailable},
		{415, ``, apperr.ProviderModelUnavailable},
		{418, ``, apperr.ProviderModelUnavailable},
		{424, ``, apperr.ProviderUpstream},
		{451, ``, apperr.ProviderModelUnavailable},
	} {
		e := upstreamerror.Parse(tc.status, nil, []byte(tc.body))
		require.Equal(t, tc.want, e.Code, "%d %s", tc.status, tc.body)
		require.Equal(t, tc.status, e.Details["upstream_status"])
		require.NotEmpty(t, e.Message)
	}
}

func TestUpstreamErrorQuotesClientErrors(t *testing.T) {
	e := upstreamerror.Parse(400, nil, []byte(`{"error":{"message":"tools[0] is \"odd\"","type":"invalid_request_error","code":"bad_tool"}}`))
	require.Equal(t, `tools[0] is "odd"`, e.Message)
	require.Equal(t, "bad_tool", e.Details["upstream_code"])
	require.Equal(t, `tools[0] is "odd"`, e.Details["upstream_message"])

	e = upstreamerror.Parse(400, nil, []byte("no such field"))
	require.Equal(t, "no such field", e.Message)

	e = upstreamerror.Parse(400, nil, []byte(`{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`))
	require.Contains(t, e.Message, "context_length_exceeded")
	require.Contains(t, e.Message, "maximum context length")
	require.Contains(t, e.Message, "too many tokens")
}

func TestUpstreamErrorHidesInternalErrors(t *testing.T) {
	for _, status := range []int{401, 402, 403, 404, 408, 418, 429, 500, 502, 503, 504, 529} {
		e := upstreamerror.Parse(status, nil, []byte(`{"error":{"message":"machine 7 of tenant acme","code":"x"}}`))
		require.NotContains(t, string(e.Body(apperr.Options{})), "acme", status)
	}
	e := upstreamerror.Parse(400, nil, []byte(" <html>inner.host</html>"))
	require.NotContains(t, string(e.Body(apperr.Options{})), "inner.host")
	e = upstreamerror.Parse(400, nil, []byte(`{"error":{"host":"inner.host"`))
	require.NotContains(t, string(e.Body(apperr.Options{})), "inner.host")

	_, err := normalize.NewStream(normalize.StreamOptions{}).AppendEvent(nil, []byte(`{"error":{"message":"machine 7 of tenant acme"}}`))
	require.NotContains(t, string(apperr.From(err).Body(apperr.Options{})), "acme")

	for _, body := range []string{"\x1f\x8b\x08\x00\x00inner.host", `{"error":{"message":"\u001b[31minner.host","code":"\u0000inner.host","param":"\u0007inner.host"}}`} {
		e = upstreamerror.Parse(400, nil, []byte(body))
		require.NotContains(t, string(e.Body(apperr.Options{})), "inner.host", "what is no text")
	}
	require.Equal(t, "a\n\tb", upstreamerror.Parse(400, nil, []byte(`{"error":"a\n\tb"}`)).Message)

	e = upstreamerror.Parse(400, nil, []byte(`{"error":"`+strings.Repeat("\u00e4", 3000)+`"}`))
	require.Equal(t, strings.Repeat("\u00e4", 1024), e.Message)
}

func TestUpstreamErrorHidesSecretsAndAddresses(t *testing.T) {
	for give, want := range map[string]string{
		"key sk-secret is bad":                        "key *** is bad",
		"key sk-proj-a_B*****9xyz.":                   "key ***",
		"Authorization: Bearer abcdefghijklmnop.q~r=": "Authorization: ***",
		"use gsk_0123456789 or AIzaSyA-123456":        "use *** or ***",
		"token eyJhbGciOiJI.eyJzdWIi.c2ln-_":          "token ***",
		"db 10.1.2.3:5432 refused":                    "db *** refused",
		"dial [fe80::1]:443: timeout":                 "dial ***: timeout",
		"at inner.host:80/v1 and redis:6379":          "at ***/v1 and ***",
		"max_tokens:4096 at 12:30, n: 1000, gpt-4.1":  "max_tokens:4096 at 12:30, n: 1000, gpt-4.1",
		"messages[1:2].content, bearer token missing": "messages[1:2].content, bearer token missing",

		"cannot reach postgres://user:hunter2@db/x today":         "cannot reach *** today",
		"see https://bob:pw@gw.corp.example/v1.":                  "see ***.",
		"https://gw.corp.example/v1 failed":                       "*** failed",
		"via http://vllm-0.internal.svc.cluster.local/v1, twice":  "via ***, twice",
		"via http://vllm/v1 or http://10.0.0.1/v1 or ws://a.b:80": "via *** or *** or ***",
		"10-0-0-1.pod.cluster.local, root:hunter2@tcp(db:3306)/x": "***, ***(***)/x",
		"host vllm-gpu-03.internal is down":                       "host *** is down",
		"from fd00::12 and 2001:db8::1.":                          "from *** and ***.",
		"dial tcp vllm:9999: refused; localhost:80":               "dial tcp ***: refused; ***",
		"Authorization: Basic dXNlcjpwdw==":                       "Authorization: ***",
		"sent Basic dXNlcjpwdw== to it":                           "sent *** to it",
		"AKIAIOSFODNN7EXAMPLE may not":                            "*** may not",
		"x-api-key: 0123456789abcdef is wrong":                    "x-api-key: *** is wrong",
		"{'api_key': 'abc123def', 'password':'hunter2'}":          "{'api_key': '***', 'password':'***'}",
		"cookie: session=abcdefghijklmnopqrst; x":                 "cookie: ***; x",

		"limit:8192 is the maximum":                               "limit:8192 is the maximum",
		"model 'qwen:32768' and llama3:8192 and qwen2.5:7b":       "model 'qwen:32768' and llama3:8192 and qwen2.5:7b",
		"see https://platform.openai.com/docs/errors.":            "see https://platform.openai.com/docs/errors.",
		"$schema http://json-schema.org/draft-07/schema# is odd":  "$schema http://json-schema.org/draft-07/schema# is odd",
		"messages.0.content.1.image_url, std::vector, a:b, 1.5:2": "messages.0.content.1.image_url, std::vector, a:b, 1.5:2",
		"password: must not be empty, basic authentication":       "password: must not be empty, basic authentication",
		"ratio 16:9 at 2026-11-05T12:30:45.123Z":                  "ratio 16:9 at 2026-11-05T12:30:45.123Z",
		"write to docs.example.com or a@b.example":                "write to docs.example.com or a@b.example",
	} {
		e := upstreamerror.Parse(400, nil, []byte(`{"error":{"message":"`+give+`","code":"`+give+`"}}`))
		require.Equal(t, want, e.Message)
		require.Equal(t, want, e.Details["upstream_message"])
		require.Equal(t, want, e.Details["upstream_code"])
	}
}

func TestUpstreamErrorHidesKeysOfEveryIssuer(t *testing.T) {
	for _, prefix := range redact.KeyPrefixes() {
		for _, rest := range []string{"0A1B2C3D4E5F6A7B8C9D0E1F2A3B4C5D6E7F", "****9XYZ", "***********9XYZ"} {
			e := upstreamerror.Parse(400, nil, []byte(`{"error":{"message":"the key `+prefix+rest+` is wrong","code":"`+prefix+rest+`"}}`))
			require.Equal(t, "the key *** is wrong", e.Message, prefix)
			require.Equal(t, "***", e.Details["upstream_code"], prefix)
		}
	}
	const words = "the region ASIA-SOUTHEAST1 and the task are unknown"
	require.Equal(t, words, upstreamerror.Parse(400, nil, []byte(`{"error":"`+words+`"}`)).Message)
}

// The size of an error body and the length of its names are limited.
func TestReportedErrorsAreBounded(t *testing.T) {
	event := func(n int) []byte {
		return []byte(`{"error":[` + strings.Repeat(`{"code":"aaaaaaaa"},`, n) + `{"code":"rate_limit","message":"x"}]}`)
	}
	for n, want := range map[int]apperr.Code{10: apperr.ProviderRateLimited, 1000: apperr.ProviderInvalidResponse} {
		_, err := normalize.NewStream(normalize.StreamOptions{}).AppendEvent(nil, event(n))
		require.True(t, apperr.Is(err, want), "%v", err)
	}
	long := `{"error":{"x":"` + strings.Repeat("y", 70_000) + `","code":429}}`
	_, err := normalize.NewStream(normalize.StreamOptions{}).AppendEvent(nil, []byte(long))
	require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
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
		require.Equal(t, tc.want, upstreamerror.Parse(429, tc.header, nil).RetryAfter, name)
	}
}
