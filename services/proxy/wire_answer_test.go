package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// completion returns the client's response, given the choices and the fields after them.
func completion(choices, rest string) string {
	return `{"id":"chatcmpl-ID","object":"chat.completion","created":1,"model":"small","choices":[` + choices + `],"usage":` + rest + `}`
}

// said returns a choice, given the fields of the message after its content and refusal.
func said(content, more, finish string) string {
	return `{"index":0,"message":{"role":"assistant","content":` + content + `,"refusal":null` + more + `},"logprobs":null,"finish_reason":"` + finish + `"}`
}

const (
	usageIn  = `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`
	usageOut = `{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12}`
)

func TestWireAnswers(t *testing.T) {
	w := newWire(t)
	call := func(id, args string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":` + args + `}}`
	}
	for _, tt := range []struct{ name, give, want string }{
		{"W-19 bare", `{"created":1760.5,"choices":[{"message":{"content":"a"}}],` + usageIn + `}`,
			completion(said(`"a"`, "", "stop"), usageOut)},
		{"W-19 odd types", `{"id":5,"object":null,"created":"now","model":[],"choices":[{"index":"0","message":{"role":7,"content":"a"},"finish_reason":null}],` + usageIn + `}`,
			completion(said(`"a"`, "", "stop"), usageOut)},
		{"W-19 indices", `{"choices":[{"index":1,"message":{"content":"b"}},{"index":0,"message":{"content":"a"}}],` + usageIn + `}`,
			completion(strings.Replace(said(`"b"`, "", "stop"), `"index":0`, `"index":1`, 1)+","+said(`"a"`, "", "stop"), usageOut)},
		{"W-19 same index", `{"choices":[{"index":0,"message":{"content":"a"}},{"index":0,"message":{"content":"b"}}],` + usageIn + `}`,
			completion(said(`"a"`, "", "stop")+","+strings.Replace(said(`"b"`, "", "stop"), `"index":0`, `"index":1`, 1), usageOut)},
		{"W-20 object", `{"choices":[{"message":{"content":null,"tool_calls":[` + call("c", `{"a": [1, 2.50],"b":"\u00e9"}`) + `]},"finish_reason":"tool_calls"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{\"a\": [1, 2.50],\"b\":\"\\u00e9\"}"`)+`]`, "tool_calls"), usageOut)},
		{"W-20 string", `{"choices":[{"message":{"content":null,"tool_calls":[` + call("c", `"{\"a\":1}"`) + `]},"finish_reason":"tool_calls"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{\"a\":1}"`)+`]`, "tool_calls"), usageOut)},
		{"W-20 none", `{"choices":[{"message":{"tool_calls":[` + call("c", `null`) + `,{"id":null,"type":null,"function":{"name":"f"}}]},"finish_reason":"tool_calls"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{}"`)+`,`+call("call_ID_1", `"{}"`)+`]`, "tool_calls"), usageOut)},
		{"W-20 legacy", `{"choices":[{"message":{"content":null,"function_call":{"name":"f","arguments":{"a":1}}},"finish_reason":"stop"}],` + usageIn + `}`,
			completion(said("null", `,"function_call":{"name":"f","arguments":"{\"a\":1}"}`, "function_call"), usageOut)},
		{"empty leftovers", `{"error":null,"choices":[{"message":{"content":"a","tool_calls":[],"function_call":null,"refusal":null},"logprobs":null}],` + usageIn + `}`,
			completion(said(`"a"`, "", "stop"), usageOut)},
		{"W-22 stop", `{"choices":[{"message":{"content":null,"tool_calls":[` + call("c", `"{}"`) + `]},"finish_reason":"stop"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{}"`)+`]`, "tool_calls"), usageOut)},
		{"W-22 length", `{"choices":[{"message":{"content":null,"tool_calls":[` + call("c", `"{"`) + `]},"finish_reason":"length"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{"`)+`]`, "length"), usageOut)},
		{"W-22 filter", `{"choices":[{"message":{"content":null,"tool_calls":[` + call("c", `"{}"`) + `]},"finish_reason":"content_filter"}],` + usageIn + `}`,
			completion(said("null", `,"tool_calls":[`+call("c", `"{}"`)+`]`, "content_filter"), usageOut)},
		{"W-25 vendor members", `{"citations":["u"],"choices":[{"message":{"content":"a","reasoning_content":"r","annotations":[{"type":"url"}],"big":12345678901234567890},"stop_reason":"\n"}],` + usageIn + `,"x_groq":{"id":"r"},"service_tier":"default"}`,
			completion(`{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"reasoning_content":"r","annotations":[{"type":"url"}],"big":12345678901234567890},"stop_reason":"\n","logprobs":null,"finish_reason":"stop"}`,
				usageOut+`,"citations":["u"],"x_groq":{"id":"r"},"service_tier":"default"`)},
		{"content in parts", `{"choices":[{"message":{"content":[{"type":"text","text":"a\n"},{"type":"text","text":"\u00e9"}]}}],` + usageIn + `}`,
			completion(said("\"a\\n\u00e9\"", "", "stop"), usageOut)},
		{"content in odd parts", `{"choices":[{"message":{"content":[{"type":"reference","reference_ids":[1]},{"type":"text","text":"a"}]}}],` + usageIn + `}`,
			completion(said(`"a"`, `,"content_parts":[{"type":"reference","reference_ids":[1]},{"type":"text","text":"a"}]`, "stop"), usageOut)},
		{"content with thinking", `{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"}]}}],` + usageIn + `}`,
			completion(said(`"a"`, `,"reasoning_content":"t"`, "stop"), usageOut)},
		{"content as an object", `{"choices":[{"message":{"content":{"a":1}}}],` + usageIn + `}`,
			completion(said(`"{\"a\":1}"`, "", "stop"), usageOut)},
		{"names twice", `{"x":{"a":1,"a":2},"choices":[],"choices":[{"message":{"content":"b","content":"a"}}],` + usageIn + `}`,
			completion(said(`"a"`, "", "stop"), usageOut+`,"x":{"a":1,"a":2}`)},
		{"usage details", `{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":9,"completion_tokens":3.0,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":null,"cost":0.01}}`,
			completion(said(`"a"`, "", "stop"), `{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4},"cost":0.01}`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.in(t)
			a := w.told(scripted.JSON(200, tt.give), plain(""))
			require.Equal(t, http.StatusOK, a.status, a.body)
			require.Equal(t, "application/json", a.header.Get("Content-Type"))
			require.Equal(t, tt.want, a.body)
			require.EqualValues(t, 3, a.record.GetTokens().GetOutput())
			require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, a.record.GetCostBasis())
		})
	}
}

func TestWireFinishReasons(t *testing.T) {
	w := newWire(t)
	for give, want := range map[string]string{
		"end_turn": "stop", "max_tokens": "length", "eos": "stop", "": "stop", "MAX_TOKENS": "length", // W-21
		"STOP": "stop", "stop_sequence": "stop", "eos_token": "stop", "COMPLETE": "stop", "null": "stop", "unknown": "stop",
		"length": "length", "model_length": "length", "tool_use": "tool_calls", "SAFETY": "content_filter", "content_filter": "content_filter",
		"RECITATION": "content_filter", "function_call": "function_call",
	} {
		a := w.told(scripted.JSON(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"`+give+`"}],`+usageIn+`}`), plain(""))
		require.Equal(t, completion(said(`"a"`, "", want), usageOut), a.body, give)
	}
	for _, broken := range []string{"error", "insufficient_system_resource"} {
		a := w.told(scripted.JSON(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"`+broken+`"}]}`), plain(""))
		a.refused(t, http.StatusBadGateway, "PROVIDER_UPSTREAM_ERROR")
	}
}

// Usage that was not reported is estimated and marked as such.
func TestWireUsageIsAlwaysThere(t *testing.T) {
	w := newWire(t)
	for _, usage := range []string{``, `,"usage":null`, `,"usage":{}`, `,"usage":{"total_tokens":30}`, `,"usage":{"prompt_tokens":-5}`, `,"usage":[]`} {
		a := w.told(scripted.JSON(200, `{"choices":[{"message":{"content":"eight by"}}]`+usage+`}`), plain(""))
		require.Equal(t, completion(said(`"eight by"`, "", "stop"), `{"prompt_tokens":8,"completion_tokens":2,"total_tokens":10}`), a.body, usage)
		require.Equal(t, recordv1.CostBasis_COST_BASIS_ESTIMATED, a.record.GetCostBasis())
		require.EqualValues(t, 2, a.record.GetTokens().GetOutput())
	}
	for usage, want := range map[string]string{
		`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`:        `{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`,
		`{"prompt_tokens":"9","completion_tokens":"3","total_tokens":"12"}`: usageOut,
		`{"prompt_tokens":9,"total_tokens":12}`:                             usageOut,
	} {
		a := w.told(scripted.JSON(200, `{"choices":[{"message":{"content":"eight by"}}],"usage":`+usage+`}`), plain(""))
		require.Equal(t, completion(said(`"eight by"`, "", "stop"), want), a.body, usage)
		require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, a.record.GetCostBasis(), usage)
	}
}

// An upstream that closes a new connection without a response has failed. One that closes a reused
// connection has only closed it, and is called again.
func TestWireNoAnswerAtAll(t *testing.T) {
	for form, body := range map[string]string{"plain": plain(""), "stream": stream("")} {
		t.Run(form, func(t *testing.T) {
			w := newWire(t)
			w.told(scripted.Response{Ending: scripted.Close}, body).refused(t, 502, "PROVIDER_CONNECTION_ERROR")
			require.Equal(t, http.StatusOK, w.ask(chatPath, body).status)
			w.told(scripted.Response{Ending: scripted.Close}, body).refused(t, 502, "PROVIDER_CONNECTION_ERROR")
			require.Len(t, w.up.Received(), 3, "the policy allows no retry")
		})
		t.Run(form+" with retries", func(t *testing.T) {
			up := scriptedtest.New(t, scriptedtest.OpenAI)
			w := &wire{rig: newRigOf(t, strings.Replace(fmt.Sprintf(wirePolicy, up.URL), "retries: {max: 0}", "retries: {max: 1}", 1)), up: up}
			require.Equal(t, http.StatusOK, w.ask(chatPath, body).status)
			up.Script(scripted.Response{Ending: scripted.Close})
			a := w.ask(chatPath, body)
			require.Equal(t, http.StatusOK, a.status)
			require.Equal(t, []string{"up PROVIDER_CONNECTION_ERROR", "up"}, a.attempts())
			require.Len(t, up.Received(), 3)
		})
	}
}

func TestWireNoAnswerUnderStatus200(t *testing.T) {
	w := newWire(t)
	good := `{"choices":[{"message":{"content":"a"}}]}`
	for name, tt := range map[string]struct {
		give   scripted.Response
		status int
		code   string
	}{
		"W-23 error":          {scripted.JSON(200, `{"error":{"message":"boom"}}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-23 text":           {scripted.JSON(200, `{"error":"boom"}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-23 inner 429":      {scripted.JSON(200, `{"error":{"message":"slow","code":429}}`), 429, "PROVIDER_RATE_LIMITED"},
		"W-23 inner text 429": {scripted.JSON(200, `{"error":{"message":"slow","code":"429"}}`), 429, "PROVIDER_RATE_LIMITED"},
		"W-23 inner type":     {scripted.JSON(200, `{"error":{"message":"bad","type":"invalid_request_error"},"choices":[]}`), 400, "PROVIDER_BAD_REQUEST"},
		"W-23 object":         {scripted.JSON(200, `{"object":"error","message":"x","code":503}`), 503, "PROVIDER_OVERLOADED"},
		"W-23 bare message":   {scripted.JSON(200, `{"message":"Internal error","code":500}`), 502, "PROVIDER_UPSTREAM_ERROR"},
		"W-23 detail":         {scripted.JSON(200, `{"detail":"Not Found"}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-23 beside choices": {scripted.JSON(200, `{"choices":[{"message":{"content":""}}],"error":{"message":"boom","code":502}}`), 502, "PROVIDER_UPSTREAM_ERROR"},
		"W-23 in a choice":    {scripted.JSON(200, `{"choices":[{"message":{"content":""},"error":{"code":429,"message":"slow"}}]}`), 429, "PROVIDER_RATE_LIMITED"},
		"W-24 no choices":     {scripted.JSON(200, `{"choices":[]}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-24 null":           {scripted.JSON(200, `{"choices":null}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-24 missing":        {scripted.JSON(200, `{"id":"x"}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-24 no message":     {scripted.JSON(200, `{"choices":[{"text":"a"}]}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"W-24 null message":   {scripted.JSON(200, `{"choices":[{"message":null}]}`), 502, "PROVIDER_INVALID_RESPONSE"},
		"empty body":          {scripted.JSON(200, ""), 502, "PROVIDER_INVALID_RESPONSE"},
		"no content":          {scripted.Response{Status: 204}, 502, "PROVIDER_INVALID_RESPONSE"},
		"null":                {scripted.JSON(200, "null"), 502, "PROVIDER_INVALID_RESPONSE"},
		"array":               {scripted.JSON(200, "["+good+"]"), 502, "PROVIDER_INVALID_RESPONSE"},
		"HTML":                {scripted.Text(200, "text/html", "<html>Just a moment</html>"), 502, "PROVIDER_INVALID_RESPONSE"},
		"trailing data":       {scripted.JSON(200, good+good), 502, "PROVIDER_INVALID_RESPONSE"},
		"cut JSON":            {scripted.JSON(200, good[:20]), 502, "PROVIDER_INVALID_RESPONSE"},
		"cut connection":      {scripted.JSON(200, good).CutAt(20, scripted.Close), 502, "PROVIDER_CONNECTION_ERROR"},
		"reset connection":    {scripted.JSON(200, good).CutAt(20, scripted.Reset), 502, "PROVIDER_CONNECTION_ERROR"},
		"no HTTP":             {scripted.Raw("SSH-2.0-OpenSSH\r\n"), 502, "PROVIDER_CONNECTION_ERROR"},
		"compressed":          {scripted.JSON(200, "\x1f\x8b\x08\x00\x00").WithHeader("Content-Encoding", "gzip"), 502, "PROVIDER_INVALID_RESPONSE"},
		"redirect":            {scripted.Response{Status: 307, Header: map[string]string{"Location": "http://127.0.0.1:1/"}}, 502, "PROVIDER_INVALID_RESPONSE"},
	} {
		for form, body := range map[string]string{"plain": plain(""), "stream": stream("")} {
			t.Run(name+", "+form, func(t *testing.T) {
				w := w.in(t)
				a := w.told(tt.give, body)
				a.refused(t, tt.status, tt.code)
				require.NotContains(t, a.body, "<html>")
				require.Equal(t, tt.code, a.record.GetCode())
			})
		}
	}
}

// The form of the response follows the request, not the upstream.
func TestWireOtherFormIsConverted(t *testing.T) {
	w := newWire(t)
	events := scripted.Events(
		`{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"lo","reasoning_content":"r"}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"finish_reason":"stop"}]}`,
		`{"choices":[],`+usageIn+`}`, "[DONE]")
	want := completion(said(`"Hello"`, `,"reasoning_content":"r","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`, "tool_calls"), usageOut)
	a := w.told(events, plain(""))
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	require.Equal(t, want, a.body)
	a = w.told(events.Bytewise().WithHeader("Content-Type", "application/json"), plain(""))
	require.Equal(t, want, a.body, "whatever it calls them")

	whole := `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}],` + usageIn + `}`
	for _, kind := range []string{"application/json", "text/plain", "text/event-stream", ""} {
		a = w.told(scripted.Text(200, kind, whole), stream(`,"stream_options":{"include_usage":true}`))
		require.Equal(t, "text/event-stream; charset=utf-8", a.header.Get("Content-Type"), kind)
		require.Equal(t, frame(`[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`, `,"usage":null`)+
			frame(`[{"index":0,"delta":{"content":"Hello"},"finish_reason":"stop"}]`, `,"usage":null`)+
			frame(`[]`, `,`+usageIn)+done, a.body, kind)
		a = w.told(scripted.Text(200, kind, " \n"+whole), plain(""))
		require.Equal(t, completion(said(`"Hello"`, "", "stop"), usageOut), a.body, kind)
	}
}
