package messages_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

const plainRequest = `{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`

func callChunk(index int, members, arguments string) []byte {
	return fmt.Appendf(nil, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":%d,%s"arguments":%s}}]},"finish_reason":null}]}`,
		index, members, jsonscan.AppendQuoted(nil, arguments))
}

// interleavedCalls returns the chunks of several calls whose fragments come in random order,
// and the blocks that the client must get, in any order.
func interleavedCalls(random *rand.Rand) (chunks [][]byte, want []string) {
	type call struct {
		rest    string
		started bool
	}
	calls := make([]call, 1+random.IntN(4))
	for i := range calls {
		calls[i].rest = fmt.Sprintf(`{"a":"{\"}%d","b":[{},%d]}`, random.IntN(100), i)
		want = append(want, fmt.Sprintf(`tool_use: "Tool%d"%s`, i, calls[i].rest))
	}
	for open := len(calls); open > 0; {
		i := random.IntN(len(calls))
		c := &calls[i]
		switch {
		case !c.started:
			c.started = true
			chunks = append(chunks, callChunk(i, fmt.Sprintf(`"id":"call_%d","type":"function","function":{"name":"Tool%d",`, i, i), ""))
		case c.rest != "":
			n := 1 + random.IntN(len(c.rest))
			chunks = append(chunks, callChunk(i, `"function":{`, c.rest[:n]))
			if c.rest = c.rest[n:]; c.rest == "" {
				open--
			}
		}
	}
	return chunks, want
}

// In a message only one block is open at a time. The fragments of other calls wait.
func TestInterleavedCalls(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		chunks, want := interleavedCalls(random)
		if random.IntN(2) == 0 {
			chunks = append([][]byte{[]byte(`{"choices":[{"index":0,"delta":{"content":"I look."},"finish_reason":null}]}`)}, chunks...)
			want = append(want, "text: I look.")
		}
		out, err := translateStream(t, []byte(plainRequest), chunks...)
		require.NoError(t, err)
		require.ElementsMatch(t, want, requireGrammar(t, out).message, "seed %d", seed)
	}
}

// Calls that come one after the other are not delayed.
func TestCallsInOrderAreStreamed(t *testing.T) {
	translation, err := translate(t, []byte(plainRequest))
	require.NoError(t, err)
	stream := translation.NewStream(options)
	for i := range 3 {
		_, err := stream.AppendChunk(nil, callChunk(i, fmt.Sprintf(`"id":"c%d","function":{"name":"Tool",`, i), ""))
		require.NoError(t, err)
		for _, piece := range []string{`{"a":`, `1}`} {
			out, err := stream.AppendChunk(nil, callChunk(i, `"function":{`, piece))
			require.NoError(t, err)
			require.Contains(t, string(out), "input_json_delta", "call %d", i)
		}
	}
}

func TestErrorEvents(t *testing.T) {
	failure := apperr.New(apperr.ProviderOverloaded, "the provider is overloaded")
	const want = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"the provider is overloaded\"},\"request_id\":\"req_1\","
	translation, err := translate(t, []byte(plainRequest))
	require.NoError(t, err)
	out := string(translation.NewStream(options).AppendError(nil, failure, apperr.Options{RequestID: "req_1"}))
	require.True(t, strings.HasPrefix(out, want) && strings.HasSuffix(out, "}\n\n"), out)

	relay := messages.Protocol{}.NewRelay(options)
	require.Equal(t, out, string(relay.AppendError(nil, failure, apperr.Options{RequestID: "req_1"})))
	for _, event := range []string{`{"type":"content_block_delta","index":0,"delta":{"text":"x"}}`, `{"type":"error","error":{"type":"api_error","message":"x"}}`} {
		_, err := relay.AppendEvent(nil, []byte(event))
		require.NoError(t, err)
	}
	require.True(t, relay.IsFinished(), "an upstream that keeps the connection open is not awaited")
	out = string(relay.AppendError(nil, failure, apperr.Options{RequestID: "req_1"}))
	const forwarded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"x\"},\"code\":\"PROVIDER_OVERLOADED\",\"details\":{"
	require.True(t, strings.HasPrefix(out, forwarded) && strings.HasSuffix(out, "}}\n\n"), out)
	require.Contains(t, out, `"request_id":"req_1"`)
	_, err = relay.Finish(nil)
	require.Equal(t, apperr.ProviderUpstream, apperr.CodeOf(err))
}

// Text deltas are by far the most frequent events, so they must not allocate.
func TestTextDeltasDoNotAllocate(t *testing.T) {
	translation, err := translate(t, []byte(plainRequest))
	require.NoError(t, err)
	stream, relay := translation.NewStream(options), messages.Protocol{}.NewRelay(options)
	chunk := []byte(`{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Hello \u00e9\n"},"logprobs":null,"finish_reason":null}],"usage":null}`)
	event := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello \u00e9 there\n"}}`)
	buffer := make([]byte, 0, 4096)
	_, _ = stream.AppendChunk(buffer, chunk)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = stream.AppendChunk(buffer, chunk) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = relay.AppendEvent(buffer, event) }))
}

// A count that is missing or cannot be true is unknown: the count of message_start is only a
// placeholder.
func TestRelayWithoutAnOutputCount(t *testing.T) {
	for usage, isUnknown := range map[string]bool{`{}`: true, `{"output_tokens":null}`: true, `{"output_tokens":-1}`: true, `{"output_tokens":0}`: false, `{"output_tokens":7}`: false} {
		relay := messages.Protocol{}.NewRelay(options)
		for _, event := range []string{
			`{"type":"message_start","message":{"content":[],"usage":{"input_tokens":9,"output_tokens":1}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + usage + `}`,
		} {
			_, err := relay.AppendEvent(nil, []byte(event))
			require.NoError(t, err)
		}
		require.Equal(t, isUnknown, relay.ReportedValues().OutputUnknown, usage)
		require.EqualValues(t, 9, relay.ReportedValues().Usage.Input)
		body := `{"content":[],"usage":{"input_tokens":9,` + strings.TrimPrefix(usage, "{") + `}`
		response, err := messages.Protocol{}.RelayBody([]byte(strings.Replace(body, ",}", "}", 1)), options)
		require.NoError(t, err)
		require.Equal(t, isUnknown, response.OutputUnknown, usage)
	}
}

func TestRelayBody(t *testing.T) {
	body := `{"id":"msg_1","type":"message","role":"assistant", "model" : "claude-opus-5-5","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"Hé"},` +
		`{"type":"tool_use","id":"t","name":"n","input":{"a":1}}],"stop_reason":"tool_use","novel":{"x":[1, 2]},` +
		`"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation":{"ephemeral_5m_input_tokens":4,"ephemeral_1h_input_tokens":3},"output_tokens":8,"server_tool_use":{"web_search_requests":1}}}`
	response, err := messages.Protocol{}.RelayBody([]byte(body), options)
	require.NoError(t, err)
	require.Equal(t, strings.Replace(body, "claude-opus-5-5", "gpt-5", 1), string(response.Body))
	require.Equal(t, "usage: {Input:10 CacheRead:5 CacheWrite:7 CacheWrite1h:3 Output:8 Reasoning:0}, output unknown: false, unpriced: [web_search]\n", formatUsage(response))
	require.Equal(t, len("hm")+len("Hé")+len(`{"a":1}`), response.OutputTextBytes)

	for body, code := range map[string]apperr.Code{
		`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`: apperr.ProviderRateLimited,
		`{"id":"msg_1","usage":{"input_tokens":3}}`:                                  apperr.ProviderInvalidResponse,
		`[]`: apperr.ProviderInvalidResponse, `{"content":[]`: apperr.ProviderInvalidResponse, ``: apperr.ProviderInvalidResponse,
	} {
		_, err := messages.Protocol{}.RelayBody([]byte(body), options)
		require.Equal(t, code, apperr.CodeOf(err), body)
	}
}

func BenchmarkToChat500KB(b *testing.B) {
	var body strings.Builder
	body.WriteString(`{"model":"auto","max_tokens":256,"stream":true,"messages":[{"role":"user","content":"hi"}`)
	line := strings.Repeat(`The signal at the junction shows clear.\n`, 50)
	for i := 0; body.Len() < 500<<10; i++ {
		fmt.Fprintf(&body, `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Read","input":{"path":"a.go"}}]},{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s"}]}`, i, i, line)
	}
	body.WriteString(`]}`)
	r := parse(b, []byte(body.String()))
	b.SetBytes(int64(len(r.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (messages.Protocol{}).ToChat(r); err != nil {
			b.Fatal(err)
		}
	}
}
