package clients

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// refused returns the cases of an error: flat and nested, for a plain call and for a
// stream that has not started.
func refused(name string, want failure, retry bool, a scripted.Response, more testCase) []testCase {
	c := more
	c.name, c.retry, c.plain, c.stream = name, retry, a, a
	c.want.Error = &want
	n := c
	n.name, n.nested = name+", nested", true
	if n.key == "" {
		n.key = "nested"
	} else {
		n.headers = map[string]string{"X-Error-Format": "openai"}
	}
	return slices.Concat(forEachKind(c, "chat", "stream"), forEachKind(n, "chat", "helper"))
}

func errorCases() []testCase {
	hang, late := scripted.Response{Ending: scripted.Hang}, failure{Status: 504, Code: "PROVIDER_TIMEOUT", Message: "hasty"}
	tooLate := failure{Status: 504, Code: "PROVIDER_TIMEOUT", Message: "brief"}
	return slices.Concat(
		refused("bad request", failure{Status: 400, Code: "PROVIDER_BAD_REQUEST", Message: "messages are too odd"}, false,
			errorResponse(400, "messages are too odd", "odd"), testCase{}),
		refused("context overflow", failure{Status: 400, Code: "CONTEXT_LENGTH_EXCEEDED", Message: "maximum context length"}, false,
			errorResponse(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"), testCase{}),
		refused("wrong key", failure{Status: 401, Code: "AUTH_INVALID_KEY", Message: "key"}, false,
			scripted.Response{}, testCase{key: "wrong"}),
		refused("model not allowed", failure{Status: 403, Code: "MODEL_NOT_ALLOWED", Message: "small"}, false,
			scripted.Response{}, testCase{key: "narrow", model: "small"}),
		refused("unknown model", failure{Status: 404, Code: "MODEL_NOT_FOUND", Message: "nope"}, false,
			scripted.Response{}, testCase{model: "nope"}),
		refused("rate limited", failure{Status: 429, Code: "PROVIDER_RATE_LIMITED", Message: "the provider rate-limited"}, true,
			errorResponse(429, "slow down", "rate_limit_exceeded"), testCase{}),
		// W-48: the gateway sends Retry-After if the upstream does not.
		refused("rate limited without a time", failure{Status: 429, Code: "PROVIDER_RATE_LIMITED", Message: "the provider rate-limited"}, true,
			scripted.JSON(429, `{"error":{"message":"slow down"}}`), testCase{}),
		refused("rate limited for long", failure{Status: 429, Code: "PROVIDER_RATE_LIMITED", Message: "the provider rate-limited"}, false,
			scripted.JSON(429, `{"error":{"message":"slow down"}}`).WithHeader("Retry-After", "100"), testCase{}),
		// W-50: no client retries before the budget is renewed.
		refused("budget used up", failure{Status: 402, Code: "BUDGET_EXCEEDED", Message: "budget"}, false,
			scripted.Response{}, testCase{key: "poor"}),
		refused("too many at the same time", failure{Status: 429, Code: "CONCURRENCY_LIMIT_EXCEEDED", Message: "limit of 1 concurrent request"}, true,
			scripted.Response{}, testCase{key: "crowded"}),
		refused("more tokens than a minute has", failure{Status: 429, Code: "RATE_LIMIT_EXCEEDED", Message: "limit of 1 token per minute"}, false,
			scripted.Response{}, testCase{key: "slow"}),
		refused("our credential is refused", failure{Status: 502, Code: "PROVIDER_AUTH_ERROR", Message: "the provider"}, false,
			errorResponse(401, "bad key sk-123", "invalid_api_key"), testCase{}),
		refused("upstream failed", failure{Status: 502, Code: "PROVIDER_UPSTREAM_ERROR", Message: "the provider"}, true,
			errorResponse(500, "oops", "server_error"), testCase{}),
		// W-51
		refused("html page", failure{Status: 502, Code: "PROVIDER_UPSTREAM_ERROR", Message: "the provider"}, true,
			scripted.Text(502, "text/html", "<html><h1>Bad gateway</h1></html>").WithHeader("Retry-After-Ms", "20"), testCase{}),
		// W-23 and W-24
		refused("error with status 200", failure{Status: 502, Code: "PROVIDER_INVALID_RESPONSE", Message: "the provider"}, true,
			scripted.JSON(200, `{"error":{"message":"something odd"}}`), testCase{}),
		refused("no choices", failure{Status: 502, Code: "PROVIDER_INVALID_RESPONSE", Message: "the provider"}, true,
			scripted.JSON(200, `{"id":"up-1","object":"chat.completion","choices":[]}`), testCase{}),
		refused("overloaded", failure{Status: 503, Code: "PROVIDER_OVERLOADED", Message: "the provider"}, true,
			errorResponse(503, "overloaded", "overloaded"), testCase{}),
		// A total timeout is not retried; a first-token timeout is.
		forEachKind(testCase{name: "too slow", model: "hurried@brief", plain: hang, want: observation{Error: &tooLate}}, "chat"),
		forEachKind(testCase{name: "slow to begin", model: "hurried@hasty", stream: hang, want: observation{Error: &late}, retry: true}, "stream"),
		forEachKind(testCase{name: "slow to begin, nested", model: "hurried@hasty", stream: hang, want: observation{Error: &late}, retry: true,
			key: "nested", nested: true}, "helper"),
		// W-38
		forEachKind(testCase{name: "error as the first event", want: observation{Error: &failure{Status: 400, Code: "PROVIDER_BAD_REQUEST", Message: "too odd"}},
			stream: events(`{"error":{"message":"messages are too odd","code":400}}`)}, "stream", "helper"),
	)
}

// brokenCases fail after the first content, when the status has already been sent.
func brokenCases() []testCase {
	begun := stream(`{"role":"assistant","content":"Hello "}`, `{"content":"from"}`)
	return slices.Concat(
		// A keep-alive line also sends the status. The pause is long, because a busy machine delays the line.
		forEachKind(testCase{name: "silence, then a failure", restless: true, stream: events(`{"error":{"message":"oops","code":500}}`).Paced(1500 * time.Millisecond),
			want: observation{Error: &failure{Code: "PROVIDER_UPSTREAM_ERROR", Message: "the provider"}}}, "stream", "helper"),
		// W-36
		broken("ends without a finish", begun.First(2, scripted.Whole)),
		broken("is cut", begun.First(2, scripted.Reset)),
		// W-39
		broken("error amid a stream", events(chunk(`{"content":"Hello "}`, ""), chunk(`{"content":"from"}`, ""),
			`{"error":{"message":"oops","code":500}}`)),
	)
}

func broken(name string, a scripted.Response) []testCase {
	c := testCase{name: name, stream: a, want: observation{Text: "Hello from", Error: &failure{Code: "PROVIDER_STREAM_INTERRUPTED", Message: "the provider"}}}
	n := c
	n.name, n.key, n.nested = name+", nested", "nested", true
	return slices.Concat(forEachKind(c, "stream", "helper"), forEachKind(n, "stream", "helper"))
}
