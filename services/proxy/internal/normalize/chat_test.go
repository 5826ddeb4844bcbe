package normalize_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

var responseOptions = normalize.Options{ID: "r1", Created: 7, Model: "m", InputTokens: 9}

const responseHead = `{"id":"r1","object":"chat.completion","created":7,"model":"m","choices":[`

func TestChatResponseHasRequiredMembers(t *testing.T) {
	for name, tc := range map[string]struct{ give, want string }{
		"bare": {
			`{"created":1760.5,"choices":[{"message":{"content":"four"}}]}`,
			responseHead + `{"index":0,"message":{"role":"assistant","content":"four","refusal":null},"logprobs":null,"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`,
		},
		"complete": {
			`{"id":"up","object":"chat.completion","created":1,"model":"up","system_fingerprint":"fp","citations":["u"],"choices":[{"index":0,` +
				`"message":{"role":"assistant","content":null,"refusal":"no","reasoning_content":"r","annotations":[]},"logprobs":{"content":[]},"finish_reason":"content_filter"}],` +
				`"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}}}`,
			responseHead + `{"index":0,"message":{"role":"assistant","content":null,"refusal":"no","reasoning_content":"r","annotations":[]},"logprobs":{"content":[]},"finish_reason":"content_filter"}],` +
				`"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"prompt_tokens_details":{"cached_tokens":1}},"system_fingerprint":"fp","citations":["u"]}`,
		},
		"tool calls": {
			`{"choices":[{"message":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g"}}]},"finish_reason":"stop"}],"usage":{}}`,
			responseHead + `{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[` +
				`{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"call_r1_1","type":"function","function":{"name":"g","arguments":"{}"}}]},` +
				`"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`,
		},
		"empty tool calls": {
			`{"choices":[{"message":{"content":"a","tool_calls":[]},"finish_reason":"stop"},{"index":1,"message":{"content":"b","tool_calls":null},"finish_reason":"length"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
			responseHead + `{"index":0,"message":{"role":"assistant","content":"a","refusal":null},"logprobs":null,"finish_reason":"stop"},` +
				`{"index":1,"message":{"role":"assistant","content":"b","refusal":null},"logprobs":null,"finish_reason":"length"}],` +
				`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := normalize.Chat([]byte(tc.give), responseOptions)
			require.NoError(t, err)
			require.Equal(t, tc.want, string(a.Body))
		})
	}
}

func TestChatResponseReportsUsage(t *testing.T) {
	a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":5,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}}`), responseOptions)
	require.NoError(t, err)
	require.Equal(t, &catalog.Usage{Input: 4, CacheRead: 1, Output: 2}, a.Usage)
	require.Equal(t, 2, a.OutputTextBytes)

	a, err = normalize.Chat([]byte(`{"choices":[{"message":{"content":"hi"}}],"usage":null}`), responseOptions)
	require.NoError(t, err)
	require.Nil(t, a.Usage)
}

func TestFinishReasons(t *testing.T) {
	for give, want := range map[string]string{
		`"end_turn"`: "stop", `"max_tokens"`: "length", `"eos"`: "stop", `""`: "stop", `"MAX_TOKENS"`: "length",
		`null`: "stop", `"SAFETY"`: "content_filter", `"tool_use"`: "tool_calls", `"function_call"`: "function_call",
		`"length"`: "length", `5`: "stop", `"whatever"`: "stop",
	} {
		a, err := normalize.Chat([]byte(`{"choices":[{"message":{},"finish_reason":`+give+`}]}`), responseOptions)
		require.NoError(t, err)
		require.Contains(t, string(a.Body), `"finish_reason":"`+want+`"`, give)
	}
	for _, reason := range []string{"length", "content_filter"} {
		a, err := normalize.Chat([]byte(`{"choices":[{"message":{"tool_calls":[{"id":"c"}]},"finish_reason":"`+reason+`"}]}`), responseOptions)
		require.NoError(t, err)
		require.Contains(t, string(a.Body), `"finish_reason":"`+reason+`"`)
	}
}

func TestChatResponseRejects(t *testing.T) {
	for give, want := range map[string]apperr.Code{
		``:                                       apperr.ProviderInvalidResponse,
		`{}`:                                     apperr.ProviderInvalidResponse,
		`{"choices":[]}`:                         apperr.ProviderInvalidResponse,
		`{"choices":null}`:                       apperr.ProviderInvalidResponse,
		`{"choices":[{}]}`:                       apperr.ProviderInvalidResponse,
		`{"choices":[{"message":{}}]}x`:          apperr.ProviderInvalidResponse,
		`<html>`:                                 apperr.ProviderInvalidResponse,
		`{"error":{"message":"?"}}`:              apperr.ProviderInvalidResponse,
		`{"error":{"message":"?","code":429}}`:   apperr.ProviderRateLimited,
		`{"error":"?","code":"invalid_request"}`: apperr.ProviderBadRequest,
		`{"choices":[{"message":{},"finish_reason":"error"}]}`:                            apperr.ProviderUpstream,
		`{"choices":[{"message":{"tool_calls":[` + strings.Repeat(`{},`, 128) + `{}]}}]}`: apperr.ProviderInvalidResponse,
	} {
		_, err := normalize.Chat([]byte(give), responseOptions)
		require.True(t, apperr.Is(err, want), "%s: %v", give, err)
	}
}

func collect(t *testing.T, events ...string) (normalize.Response, error) {
	t.Helper()
	stream := "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
	e := sse.NewReader(readCloser{strings.NewReader(stream)})
	return normalize.Collect(e, responseOptions)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestCollect(t *testing.T) {
	a, err := collect(t,
		deltaEvent(`{"role":"assistant","content":"Hel"}`, "null"),
		deltaEvent(`{"content":"lo \ud83d","reasoning_content":"h"}`, "null"),
		deltaEvent(`{"content":"\ude00","reasoning_content":"m","details":[1]}`, "null"),
		deltaEvent(`{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\""}}]}`, "null"),
		deltaEvent(`{"tool_calls":[{"function":{"arguments":":1}"}}],"details":[2]}`, "null"),
		`{"x":1,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"y":1}}`,
		`[DONE]`)
	require.NoError(t, err)
	require.Equal(t, responseHead+`{"index":0,"message":{"role":"assistant","content":"Hello \ud83d\ude00","refusal":null,"reasoning_content":"hm","details":[1,2],`+
		`"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],`+
		`"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7,"y":1},"x":1}`, string(a.Body))
	require.Equal(t, &catalog.Usage{Input: 5, Output: 2}, a.Usage)
}

func TestCollectKeepsEveryChunk(t *testing.T) {
	word := func(w, more string) string {
		return `{"choices":[{"index":0,"delta":{"content":"` + w + `"},"logprobs":{"content":[{"token":"` + w + `"}],"refusal":null},"finish_reason":null` + more + `}]`
	}
	a, err := collect(t,
		`{"system_fingerprint":"fp","citations":["u"],"choices":[],"prompt_filter_results":[1]}`,
		word("a", `,"stop_reason":null`)+`,"provider":"acme"}`,
		word("b", `,"stop_reason":"x"`)+`,"provider":"acme","system_fingerprint":null}`,
		deltaEvent(`{"annotations":[ ]}`, "null"), deltaEvent(`{"annotations":[1]}`, "null"), deltaEvent(`{"annotations":[ ]}`, "null"), deltaEvent(`{"annotations":[2]}`, "null"),
		stopEvent)
	require.NoError(t, err)
	require.Equal(t, responseHead+`{"index":0,"message":{"role":"assistant","content":"ab","refusal":null,"annotations":[1,2]},"stop_reason":"x",`+
		`"logprobs":{"content":[{"token":"a"},{"token":"b"}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10},`+
		`"system_fingerprint":"fp","citations":["u"],"prompt_filter_results":[1],"provider":"acme"}`, string(a.Body))
}

func TestCollectAcceptsEmptyFinishReason(t *testing.T) {
	a, err := collect(t, deltaEvent(`{"tool_calls":[{"id":"c","function":{"name":"f"}}]}`, "null"), `{"choices":[{"index":0,"delta":{},"finish_reason":""}]}`)
	require.NoError(t, err)
	require.Contains(t, string(a.Body), `"finish_reason":"tool_calls"`)
	require.Contains(t, string(a.Body), `"arguments":"{}"`)
}

func TestCollectPassesOnErrors(t *testing.T) {
	_, err := collect(t, deltaEvent(`{"content":"a"}`, "null"))
	require.True(t, apperr.Is(err, apperr.ProviderInterrupted), "%v", err)
	_, err = collect(t, `{"error":{"code":429}}`)
	require.True(t, apperr.Is(err, apperr.ProviderRateLimited), "%v", err)
	_, err = collect(t, stopEvent)
	require.NoError(t, err, "a finish reason is enough")
}

// repeated is an upstream that never ends.
type repeated struct{ event []byte }

func (r repeated) Next() ([]byte, error) { return r.event, nil }

func TestCollectIsBounded(t *testing.T) {
	event := deltaEvent(`{"content":"`+strings.Repeat("x", 4<<20)+`"}`, "null")
	_, err := normalize.Collect(repeated{[]byte(event)}, responseOptions)
	require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
}

// various is an upstream whose events all have members with different names.
type various struct {
	delta string
	count int
}

func (v *various) Next() ([]byte, error) {
	v.count++
	members := strings.ReplaceAll(numbered(600), `,"`, fmt.Sprintf(`,"%d-`, v.count))
	return []byte(deltaEvent(strings.Replace(v.delta, "%", members, 1), "null")), nil
}

func TestCollectBoundsMembers(t *testing.T) {
	for _, delta := range []string{`{%}`, `{"tool_calls":[{"id":"c",%}]}`, `{"tool_calls":[{"id":"c","function":{%}}]}`} {
		v := &various{delta: delta}
		_, err := normalize.Collect(v, responseOptions)
		require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
		require.Equal(t, 2, v.count, delta)
	}
}

// numbered returns n members with different names.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d":1`, i)
	}
	return b.String()[1:]
}

func TestEscapesCountAsCharacters(t *testing.T) {
	escaped := `"` + strings.Repeat(`\u0434\u0430 \n\u20ac\ud83d\ude00`, 9) + `"`
	var plain string
	require.NoError(t, json.Unmarshal([]byte(escaped), &plain))
	a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":`+escaped+`}}]}`), responseOptions)
	require.NoError(t, err)
	require.Equal(t, len(plain), a.OutputTextBytes)
}
