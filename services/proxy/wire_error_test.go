package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// broken checks a stream that ends in an error frame after the given frames.
func (a answered) broken(t *testing.T, before string) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status)
	rest, ok := strings.CutPrefix(a.body, before)
	require.True(t, ok, a.body)
	require.Regexp(t, `^data: \{"error":"[^"]+","code":"PROVIDER_STREAM_INTERRUPTED","details":\{.*"partial":true.*"tokens_sent":[1-9].*\}\}\n\n$`, rest)
	require.Equal(t, 1, strings.Count(rest, "\n\n"), "one bare frame, and no [DONE]")
	require.Equal(t, recordv1.Outcome_OUTCOME_INTERRUPTED, a.record.GetOutcome())
	require.Equal(t, "PROVIDER_STREAM_INTERRUPTED", a.record.GetCode())
	require.Positive(t, a.record.GetTokens().GetOutput(), "what was delivered is counted")
	require.Positive(t, a.record.GetCostNanoUsd())
}

func TestWireStreamsThatBreak(t *testing.T) {
	w := newWire(t)
	events := []string{chunk(`{"role":"assistant","content":"one"}`, "null"), chunk(`{"content":" two"}`, "null"), chunk(`{"content":" three"}`, "null")}
	sent := delta(`{"role":"assistant","content":"one"}`, "null") + delta(`{"content":" two"}`, "null") + delta(`{"content":" three"}`, "null")
	then := func(more ...string) scripted.Response { return scripted.Events(append(events[:3:3], more...)...) }
	raw := func(text string) scripted.Response {
		a := then()
		a.Pieces = append(a.Pieces, scripted.Piece{Data: text})
		return a
	}
	for name, give := range map[string]scripted.Response{
		"W-36 end":                   then(),
		"W-36 done without finish":   then("[DONE]"),
		"W-36 closed":                then().First(3, scripted.Close),
		"W-36 reset":                 then().First(3, scripted.Reset),
		"W-36 cut event":             raw(`data: {"choices":[{"index":0,"del`),
		"W-36 cut event, connection": raw(`data: {"choices":[{"index":0,"del`).First(4, scripted.Close),
		"W-36 usage only":            then(`{"choices":[],`+usageIn+`}`, "[DONE]"),
		"W-39 error":                 then(`{"error":{"message":"boom","code":500}}`, stop, "[DONE]"),
		"W-39 error as text":         then(`{"error":"boom"}`),
		"W-39 error with choices":    then(`{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"message":"boom","code":502}}`, "[DONE]"),
		"W-39 error as a reason":     then(chunk(`{}`, `"error"`), "[DONE]"),
		"W-39 error as an object":    then(`{"object":"error","message":"boom","code":500}`),
		"W-39 error event":           raw("event: error\ndata: {\"message\":\"boom\",\"type\":\"server_error\"}\n\n"),
		"W-39 detail":                then(`{"detail":"boom"}`),
		"W-39 plain text":            then(`Internal Server Error`),
		"W-39 array":                 then(`[{"error":{"code":500}}]`),
		"W-39 error late in a line":  then(`{"id":"x","choices":[],"error":{"message":"boom"}}`),
		"too deep":                   then(`{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`),
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			a := w.told(give, stream(""))
			a.broken(t, sent)
			require.NotContains(t, a.body, "boom", "words that are not about the request stay here")
		})
	}
}

func TestWireStreamErrorInTheNestedShape(t *testing.T) {
	w := newWire(t)
	w.up.Script(scripted.Events(chunk(`{"role":"assistant","content":"one"}`, "null")))
	a := w.ask(chatPath, stream(""), "X-Error-Format: openai")
	rest := strings.TrimPrefix(a.body, delta(`{"role":"assistant","content":"one"}`, "null"))
	require.Regexp(t, `^data: \{"error":\{"message":"[^"]+","type":"api_error","param":null,"code":"PROVIDER_STREAM_INTERRUPTED".*\}\}\n\n$`, rest)
}

// Before its first content, a stream fails like any other request.
func TestWireStreamsThatNeverBegin(t *testing.T) {
	w := newWire(t)
	role := chunk(`{"role":"assistant","content":""}`, "null")
	for _, tt := range []struct {
		name   string
		give   scripted.Response
		status int
		code   string
	}{
		{"W-38 inner 400", scripted.Events(`{"error":{"message":"messages[0] is odd","code":400}}`), 400, "PROVIDER_BAD_REQUEST"},
		{"W-38 inner type", scripted.Events(`{"error":{"message":"messages[0] is odd","type":"invalid_request_error"}}`), 400, "PROVIDER_BAD_REQUEST"},
		{"W-38 behind the role", scripted.Events(role, `{"error":{"message":"messages[0] is odd","code":"400"}}`), 400, "PROVIDER_BAD_REQUEST"},
		{"W-38 behind comments", scripted.Stream(": wait\n\n", ": wait\n\n", "event: error\ndata: {\"error\":{\"code\":429}}\n\n"), 429, "PROVIDER_RATE_LIMITED"},
		{"W-38 overloaded", scripted.Events(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), 503, "PROVIDER_OVERLOADED"},
		{"W-38 context", scripted.Events(`{"error":{"message":"too long","code":"context_length_exceeded"}}`), 400, "CONTEXT_LENGTH_EXCEEDED"},
		{"W-38 credential", scripted.Events(`{"error":{"message":"bad key","code":"invalid_api_key"}}`), 502, "PROVIDER_AUTH_ERROR"},
		{"W-38 model", scripted.Events(`{"error":{"message":"no such model","code":"model_not_found"}}`), 502, "PROVIDER_MODEL_UNAVAILABLE"},
		{"W-38 quota", scripted.Events(`{"error":{"message":"pay","code":"insufficient_quota"}}`), 503, "PROVIDER_QUOTA_EXHAUSTED"},
		{"empty", scripted.Stream(), 502, "PROVIDER_INVALID_RESPONSE"},
		{"done alone", scripted.Events("[DONE]"), 502, "PROVIDER_INVALID_RESPONSE"},
		{"comments alone", scripted.Stream(": ping\n\n", ": ping\n\n"), 502, "PROVIDER_INVALID_RESPONSE"},
		{"role alone", scripted.Events(role, "[DONE]"), 502, "PROVIDER_INVALID_RESPONSE"},
		{"usage alone", scripted.Events(`{"choices":[],`+usageIn+`}`, "[DONE]"), 502, "PROVIDER_INVALID_RESPONSE"},
		{"closed", scripted.Events(role, "{}").First(1, scripted.Close), 502, "PROVIDER_CONNECTION_ERROR"},
		{"reset", scripted.Events(role, "{}").First(1, scripted.Reset), 502, "PROVIDER_CONNECTION_ERROR"},
		{"HTML", scripted.Text(200, "text/event-stream", "<html>busy</html>"), 502, "PROVIDER_INVALID_RESPONSE"},
		{"too long an event", scripted.Stream("data: " + strings.Repeat("x", 17<<20)), 502, "PROVIDER_INVALID_RESPONSE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.in(t)
			a := w.told(tt.give, stream(""))
			a.refused(t, tt.status, tt.code)
			require.Empty(t, a.header.Get("X-Signalbox-Model"), "no candidate served it")
			require.Equal(t, tt.code, a.record.GetCode())
		})
	}
}

func TestWireUpstreamErrors(t *testing.T) {
	w := newWire(t)
	for _, tt := range []struct {
		name   string
		give   scripted.Response
		status int
		code   string
		retry  string
		after  string
	}{
		{"W-48 with a time", scripted.JSON(429, `{"error":{"message":"pay your bill"}}`).WithHeader("Retry-After", "7"), 429, "PROVIDER_RATE_LIMITED", "true", "7000"},
		{"W-48 milliseconds", scripted.JSON(429, `{}`).WithHeader("Retry-After-Ms", "2500"), 429, "PROVIDER_RATE_LIMITED", "true", "2500"},
		{"W-48 without", scripted.JSON(429, ``), 429, "PROVIDER_RATE_LIMITED", "true", ""},
		{"W-48 too long", scripted.JSON(429, `{}`).WithHeader("Retry-After", "120"), 429, "PROVIDER_RATE_LIMITED", "false", "120000"},
		{"W-51 HTML", scripted.Text(502, "text/html", "<html><h1>Bad Gateway</h1></html>"), 502, "PROVIDER_UPSTREAM_ERROR", "true", ""},
		{"W-51 HTML 400", scripted.Text(400, "text/html", "<html><h1>Bad Request</h1></html>"), 400, "PROVIDER_BAD_REQUEST", "false", ""},
		{"bad request", scripted.JSON(400, `{"error":{"message":"tools[0] is odd"}}`), 400, "PROVIDER_BAD_REQUEST", "false", ""},
		{"unprocessable", scripted.JSON(422, `{"detail":[{"loc":["body"],"msg":"tools[0] is odd"}]}`), 400, "PROVIDER_BAD_REQUEST", "false", ""},
		{"too large", scripted.JSON(413, `{}`), 413, "REQUEST_TOO_LARGE", "false", ""},
		{"not found", scripted.JSON(404, `{"error":{"message":"at inner.host:8000"}}`), 502, "PROVIDER_MODEL_UNAVAILABLE", "false", ""},
		{"quota", scripted.JSON(429, `{"error":{"code":"insufficient_quota"}}`), 503, "PROVIDER_QUOTA_EXHAUSTED", "false", ""},
		{"payment", scripted.JSON(402, `{}`), 503, "PROVIDER_QUOTA_EXHAUSTED", "false", ""},
		{"overloaded", scripted.JSON(529, `{}`), 503, "PROVIDER_OVERLOADED", "true", ""},
		{"no such method", scripted.JSON(405, `{}`), 502, "PROVIDER_MODEL_UNAVAILABLE", "false", ""},
		{"conflict", scripted.JSON(409, `{}`), 503, "PROVIDER_OVERLOADED", "true", ""},
		{"media type", scripted.JSON(415, `{}`), 502, "PROVIDER_MODEL_UNAVAILABLE", "false", ""},
		{"law", scripted.JSON(451, `{}`), 502, "PROVIDER_MODEL_UNAVAILABLE", "false", ""},
		{"credential with a time", scripted.JSON(401, `{}`).WithHeader("Retry-After", "7"), 502, "PROVIDER_AUTH_ERROR", "false", ""},
		{"server error", scripted.JSON(500, `{"error":{"message":"at 10.0.0.9"}}`), 502, "PROVIDER_UPSTREAM_ERROR", "true", ""},
		{"empty", scripted.Response{Status: 500}, 502, "PROVIDER_UPSTREAM_ERROR", "true", ""},
	} {
		for form, body := range map[string]string{"plain": plain(""), "stream": stream("")} {
			t.Run(tt.name+", "+form, func(t *testing.T) {
				w := w.in(t)
				a := w.told(tt.give, body)
				a.refused(t, tt.status, tt.code)
				require.Equal(t, tt.retry, a.header.Get("X-Should-Retry"))
				if tt.after != "" {
					require.Equal(t, tt.after, a.header.Get("Retry-After-Ms"))
				}
				if tt.retry == "false" && tt.after == "" {
					require.Empty(t, a.header.Get("Retry-After")+a.header.Get("Retry-After-Ms"))
				}
				if tt.retry == "true" {
					require.Regexp(t, "^[1-9][0-9]*$", a.header.Get("Retry-After"))
				}
				for _, secret := range []string{"<h", "inner.host", "10.0.0.9", "bill"} {
					require.NotContains(t, a.body, secret)
				}
			})
		}
	}
}

// The record of a failed attempt and the error have the upstream's id for the call.
func TestWireUpstreamIDOfFailures(t *testing.T) {
	w := newWire(t)
	for _, status := range []int{400, 401, 429, 500, 503} {
		a := w.told(scripted.JSON(status, `{"error":{"message":"no"}}`).WithHeader("X-Request-Id", "req_up_1"), plain(""))
		require.Equal(t, "req_up_1", a.record.GetAttempts()[0].GetUpstreamRequestId(), status)
		require.Contains(t, a.body, `"upstream_request_id":"req_up_1"`)
	}
	a := w.told(scripted.JSON(200, `{"choices":`).WithHeader("X-Request-Id", "req_up_2"), plain(""))
	require.Equal(t, "req_up_2", a.record.GetAttempts()[0].GetUpstreamRequestId())
}
