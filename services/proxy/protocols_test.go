package proxy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

const (
	messagesPath  = "/proxy/v1/messages"
	responsesPath = "/proxy/v1/responses"
	geminiPath    = "/proxy/v1beta/models/small"
)

// nativeCase is one endpoint of a vendor's protocol, with an upstream that speaks chat
// completions. The upstream says "a" and reports 9 input and 3 output tokens.
type nativeCase struct {
	protocol, path, body string
	stream               bool
	// want is the response, with the request's id and the time replaced.
	want []string
	kind string
}

var nativeCases = map[string]nativeCase{
	"messages": {"messages", messagesPath, `{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, false, []string{
		`{"id":"msg_ID","type":"message","role":"assistant","model":"small","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"`,
		`"input_tokens":9,`, `"output_tokens":3}`,
	}, "application/json"},
	"messages, stream": {"messages", messagesPath, `{"model":"small","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, true, []string{
		"event: message_start\ndata: {", `"delta":{"type":"text_delta","text":"a"}`, `"stop_reason":"end_turn"`, `"output_tokens":3}`, "event: message_stop\n",
	}, "text/event-stream; charset=utf-8"},
	"responses": {"responses", responsesPath, `{"model":"small","store":false,"input":"hi"}`, false, []string{
		`{"id":"resp_ID","object":"response"`, `"status":"completed"`, `"text":"a"`, `"input_tokens":9,`, `"output_tokens":3,`,
	}, "application/json"},
	"responses, stream": {"responses", responsesPath, `{"model":"small","stream":true,"input":[{"role":"user","content":"hi"}]}`, true, []string{
		"event: response.created\n", `"delta":"a"`, "event: response.completed\n", `"output_tokens":3,`,
	}, "text/event-stream; charset=utf-8"},
	"gemini": {"gemini", geminiPath + ":generateContent", `{"contents":[{"parts":[{"text":"hi"}]}]}`, false, []string{
		`"parts":[{"text":"a"}]`, `"finishReason":"STOP"`, `"promptTokenCount":9`, `"candidatesTokenCount":3`,
	}, "application/json"},
	"gemini, events": {"gemini", geminiPath + ":streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"hi"}]}]}`, true, []string{
		"data: {", `"parts":[{"text":"a"}]`, `"finishReason":"STOP"`, `"candidatesTokenCount":3`,
	}, "text/event-stream; charset=utf-8"},
	"gemini, array": {"gemini", geminiPath + ":streamGenerateContent", `{"contents":[{"parts":[{"text":"hi"}]}]}`, true, []string{
		"[{", `"parts":[{"text":"a"}]`, `"finishReason":"STOP"`, "]",
	}, "application/json"},
	"gemini, v1": {"gemini", "/proxy/v1/models/small:generateContent", `{"contents":[{"parts":[{"text":"hi"}]}]}`, false, []string{
		`"parts":[{"text":"a"}]`,
	}, "application/json"},
}

func (c *nativeCase) response() scripted.Response {
	if c.stream {
		return scripted.Events(chunk(`{"role":"assistant","content":"a"}`, "null"), stop, `{"choices":[],`+usageIn+`}`, "[DONE]")
	}
	return scripted.JSON(200, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}],`+usageIn+`}`)
}

// Clients of every vendor's protocol can use an upstream that speaks chat completions.
func TestProtocolsOverAChatUpstream(t *testing.T) {
	w := newWire(t)
	for name, c := range nativeCases {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.up.Script(c.response())
			a := w.ask(c.path, c.body)
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, c.kind, a.header.Get("Content-Type"))
			for _, part := range c.want {
				require.Contains(t, a.body, part)
			}
			require.Equal(t, c.protocol, a.record.GetProtocol())
			require.EqualValues(t, 9, a.record.GetTokens().GetInput())
			require.EqualValues(t, 3, a.record.GetTokens().GetOutput())
			require.EqualValues(t, 15_000, a.record.GetCostNanoUsd())
			require.Equal(t, c.stream, a.record.GetStream())
		})
	}
}

// Errors of upstreams and of the gateway have the format of the client's vendor.
func TestErrorsOfProtocols(t *testing.T) {
	w := newWire(t)
	for path, want := range map[string]struct{ body, limited, invalid string }{
		messagesPath:                    {`{"model":"small","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, `{"type":"error","error":{"type":"rate_limit_error",`, `{"type":"error","error":{"type":"invalid_request_error",`},
		responsesPath:                   {`{"model":"small","input":"hi"}`, `"type":"rate_limit_error"`, `"type":"invalid_request_error"`},
		geminiPath + ":generateContent": {`{"contents":[{"parts":[{"text":"hi"}]}]}`, `"status":"RESOURCE_EXHAUSTED"`, `"status":"INVALID_ARGUMENT"`},
	} {
		w.up.Script(scripted.JSON(429, `{"error":{"message":"slow down"}}`))
		a := w.ask(path, want.body)
		require.Equal(t, http.StatusTooManyRequests, a.status, a.body)
		require.Contains(t, a.body, want.limited)
		require.Contains(t, a.body, `"code":"PROVIDER_RATE_LIMITED"`)
		a = w.ask(path, `{"model":"small"}`)
		require.Equal(t, http.StatusBadRequest, a.status, a.body)
		require.Contains(t, a.body, want.invalid)
		require.Contains(t, a.body, `"code":"INVALID_REQUEST"`)
		require.Equal(t, "INVALID_REQUEST", a.record.GetCode())
	}
}

// Counting tokens calls no upstream and leaves no record.
func TestCountingTokens(t *testing.T) {
	w := newWire(t)
	res, body := w.call(http.MethodPost, messagesPath+"/count_tokens", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Regexp(t, `^\{"input_tokens":[1-9][0-9]*\}$`, body)
	res, body = w.call(http.MethodPost, geminiPath+":countTokens", `{"contents":[{"parts":[{"text":"hi"}]}]}`)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Regexp(t, `^\{"totalTokens":[1-9][0-9]*\}$`, body)
	require.Empty(t, w.up.Received())
	w.up.Script((&nativeCase{}).response())
	require.Equal(t, "chat", w.ask(chatPath, plain("")).record.GetProtocol(), "the first record is that of the chat")
}

func TestGeminiEmbeddings(t *testing.T) {
	w := newWire(t)
	w.up.Script(scripted.JSON(200, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,1]}],"usage":{"prompt_tokens":2,"total_tokens":2}}`))
	a := w.ask("/proxy/v1beta/models/embed:embedContent", `{"content":{"parts":[{"text":"hi"}]}}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.JSONEq(t, `{"embedding":{"values":[0.5,1]}}`, a.body)
	require.Equal(t, "gemini", a.record.GetProtocol())
	require.EqualValues(t, 2, a.record.GetTokens().GetInput())
}
