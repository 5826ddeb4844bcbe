package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

const done = "data: [DONE]\n\n"

// frame returns an event for the client, given the choices and the fields after them.
func frame(choices, rest string) string {
	return `data: {"id":"chatcmpl-ID","object":"chat.completion.chunk","created":1,"model":"small","choices":` + choices + rest + "}\n\n"
}

// delta returns a frame with one choice, chunk the upstream's event of it.
func delta(d, finish string) string { return frame(choice(d, finish), "") }
func chunk(d, finish string) string { return `{"choices":` + choice(d, finish) + `}` }
func choice(d, finish string) string {
	return `[{"index":0,"delta":` + d + `,"finish_reason":` + finish + `}]`
}

const (
	roleFirst = `[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`
	stop      = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

func TestWireStreams(t *testing.T) {
	w := newWire(t)
	role, end := frame(roleFirst, ""), delta(`{}`, `"stop"`)+done
	hello := role + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, "null") + end
	a, b := chunk(`{"content":"a"}`, "null"), chunk(`{"content":"b"}`, "null")
	for _, tt := range []struct {
		name string
		give scripted.Response
		want string
	}{
		{"W-27 normal", scripted.Events(chunk(`{"role":"assistant","content":""}`, "null"), a, b, stop, `{"choices":[],`+usageIn+`}`, "[DONE]"),
			delta(`{"role":"assistant","content":""}`, "null") + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, "null") + end},
		{"W-27 ids that change", scripted.Events(strings.Replace(a, "{", `{"id":"1","created":1.5,"model":"x",`, 1), strings.Replace(b, "{", `{"id":"2","created":"9","model":null,`, 1), stop, "[DONE]"), hello},
		{"W-28 no role", scripted.Events(a, b, stop, "[DONE]"), hello},
		{"W-28 null role", scripted.Events(chunk(`{"role":null,"content":"a"}`, "null"), chunk(`{"role":"","content":"b"}`, "null"), stop, "[DONE]"), hello},
		{"role on every chunk", scripted.Events(chunk(`{"role":"assistant","content":"a"}`, "null"), chunk(`{"role":"assistant","content":"b"}`, "null"), stop, "[DONE]"),
			delta(`{"role":"assistant","content":"a"}`, "null") + delta(`{"content":"b"}`, "null") + end},
		{"null leftovers", scripted.Events(
			chunk(`{"content":"a","tool_calls":null,"function_call":null,"refusal":null,"reasoning_content":null,"audio":null}`, "null"),
			chunk(`{"content":"b","tool_calls":[],"reasoning_content":""}`, `""`), chunk(`{"content":null,"role":null}`, `"stop"`), "[DONE]"), hello},
		{"reasoning", scripted.Events(chunk(`{"reasoning_content":"r","content":null}`, "null"), chunk(`{"reasoning":"s","content":""}`, "null"), a, stop, "[DONE]"),
			role + delta(`{"reasoning_content":"r"}`, "null") + delta(`{"content":"","reasoning_content":"s"}`, "null") + delta(`{"content":"a"}`, "null") + end},
		{"vendor members", scripted.Events(`{"x":{"y":12345678901234567890},"choices":[{"index":0,"delta":{"content":"a","z":[1]},"q":1,"logprobs":null,"finish_reason":null}],"usage":null}`, stop, "[DONE]"),
			role + strings.Replace(frame(`[{"index":0,"delta":{"content":"a","z":[1]},"q":1,"logprobs":null,"finish_reason":null}]`, ""), `,"choices"`, `,"x":{"y":12345678901234567890},"choices"`, 1) + end},
		{"content in parts", scripted.Events(chunk(`{"content":[{"type":"text","text":"a"}]}`, "null"), chunk(`{"content":["b"]}`, "null"), stop, "[DONE]"), hello},
		{"finish that is none", scripted.Events(chunk(`{"content":"a"}`, "false"), chunk(`{"content":"b"}`, "0"), stop, "[DONE]"), hello},
		{"finish with text", scripted.Events(a, chunk(`{"content":"b"}`, `"end_turn"`), "[DONE]"),
			role + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, `"stop"`) + done},
		{"index from 1", scripted.Events(strings.Replace(a, `"index":0`, `"index":1`, 1), strings.Replace(b, `"index":0`, `"index":1`, 1), strings.Replace(stop, `"index":0`, `"index":1`, 1), "[DONE]"), hello},
		{"finish with text, twice", scripted.Events(chunk(`{"content":"a"}`, `"stop"`), chunk(`{"content":"b"}`, `"stop"`), "[DONE]"),
			role + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, `"stop"`) + done},
		{"finish before text", scripted.Events(a, stop, b, "[DONE]"), role + delta(`{"content":"a"}`, "null") + delta(`{"content":"b"}`, `"stop"`) + done},
		{"finish twice", scripted.Events(a, b, stop, stop, chunk(`{"content":""}`, "null"), "[DONE]"), hello},
		{"finish as a word", scripted.Events(chunk(`{"content":"a"}`, `"null"`), b, stop, "[DONE]"), hello},
		{"null delta", scripted.Events(a, b, chunk(`null`, `"stop"`), "[DONE]"), hello},
		{"no delta", scripted.Events(a, b, `{"choices":[{"index":0,"finish_reason":"stop"}]}`, "[DONE]"), hello},
		{"no index", scripted.Events(`{"choices":[{"delta":{"content":"a"}}]}`, b, stop, "[DONE]"), hello},
		{"filter results first", scripted.Events(`{"choices":[],"prompt_filter_results":[]}`, a, b, stop, "[DONE]"),
			role + strings.Replace(strings.TrimPrefix(hello, role), `,"choices"`, `,"prompt_filter_results":[],"choices"`, 1)},
		{"W-21 empty reason at the end", scripted.Events(a, b, chunk(`{}`, `""`), "[DONE]"), strings.TrimSuffix(hello, end) + delta(`{}`, "null") + end},
		{"W-21 empty reason in between", scripted.Events(a, chunk(`{}`, `""`), b, stop, "[DONE]"),
			role + delta(`{"content":"a"}`, "null") + delta(`{}`, "null") + delta(`{"content":"b"}`, "null") + end},
		{"W-34 comments", scripted.Stream(": OPENROUTER PROCESSING\n\n", ": ping - 2\n", "data: "+a+"\n\n", ":\n\n", "data: "+b+"\n: x\n\n", "data: "+stop+"\n\n", "data: [DONE]\n\n"), hello},
		{"W-37 no done", scripted.Events(a, b, stop), hello},
		{"W-37 no last line end", scripted.Stream("data: "+a+"\n\n", "data: "+b+"\n\n", "data: "+stop), hello},
		{"W-37 done without line end", scripted.Stream("data: "+a+"\n\n", "data: "+b+"\n\n", "data: "+stop+"\n\n", "data: [DONE]"), hello},
		{"done twice", scripted.Events(a, b, stop, "[DONE]", "[DONE]"), hello},
		{"more behind done", scripted.Events(a, b, stop, "[DONE]", a, `{"error":{}}`), hello},
		{"CRLF", scripted.Stream("data: "+a+"\r\n\r\ndata: "+b+"\r\n\r\n", "data: "+stop+"\r\n\r\ndata: [DONE]\r\n\r\n"), hello},
		{"CR", scripted.Stream("data: "+a+"\r\rdata: "+b+"\r\r", "data: "+stop+"\r\rdata: [DONE]\r\r"), hello},
		{"no space", scripted.Stream("data:"+a+"\n\ndata:"+b+"\n\n", "data:"+stop+"\n\ndata:[DONE]\n\n"), hello},
		{"other fields", scripted.Stream("event: message\nid: 1\nretry: 5\ndata: "+a+"\n\nid: 2\n\nevent: ping\ndata:\n\n", "data: "+b+"\n\ndata: "+stop+"\n\ndata: [DONE]\n\n"), hello},
		{"several lines", scripted.Stream("data: {\"choices\":\ndata: [{\"index\":0,\ndata:\ndata: \"delta\":{\"content\":\"a\"}}]}\n\n", "data: "+b+"\n\ndata: "+stop+"\n\ndata: [DONE]\n\n"), hello},
		{"no blank lines", scripted.Stream("data: " + a + "\ndata: " + b + "\ndata: " + stop + "\ndata: [DONE]\n"), hello},
		{"BOM", scripted.Stream("\ufeffdata: "+a+"\n\ndata: "+b+"\n\n", "data: "+stop+"\n\ndata: [DONE]\n\n"), hello},
		{"empty data", scripted.Events("", a, " ", b, stop, "", "[DONE]"), hello},
		{"bad UTF-8", scripted.Events(chunk("{\"content\":\"\xff\"}", "null"), stop, "[DONE]"), role + delta("{\"content\":\"\ufffd\"}", "null") + end},
		{"halves of a pair", scripted.Events(chunk(`{"content":"\ud83d"}`, "null"), chunk(`{"content":"\ude00"}`, "null"), stop, "[DONE]"),
			role + delta(`{"content":"\ud83d"}`, "null") + delta(`{"content":"\ude00"}`, "null") + end},
		{"without a label", scripted.Events(a, b, stop, "[DONE]").WithHeader("Content-Type", "application/octet-stream"), hello},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.in(t)
			for _, give := range []scripted.Response{tt.give, tt.give.Bytewise()} {
				a := w.told(give, stream(""))
				require.Equal(t, http.StatusOK, a.status, a.body)
				require.Equal(t, tt.want, a.body)
				require.Equal(t, recordv1.Outcome_OUTCOME_OK, a.record.GetOutcome())
			}
			sent := `{"model":"up-small","stream_options":{"include_usage":true},"stream":true,` + userHi + `}`
			require.Equal(t, sent, string(w.up.Last().Body), "W-29")
		})
	}
}

func TestWireHeadersOfAStream(t *testing.T) {
	w := newWire(t)
	w.up.Script(scriptedtest.OpenAI(scriptedtest.Received{Body: []byte(`{"stream":true}`)}).WithHeader("Set-Cookie", "a=b").WithHeader("Openai-Organization", "org").WithHeader("X-Ratelimit-Limit", "5"))
	a := w.ask(chatPath, stream(""), "Accept-Encoding: gzip")
	require.Equal(t, "text/event-stream; charset=utf-8", a.header.Get("Content-Type"))
	require.Equal(t, "no-cache, no-transform", a.header.Get("Cache-Control"))
	require.Equal(t, "no", a.header.Get("X-Accel-Buffering"))
	require.Equal(t, "small", a.header.Get("X-Signalbox-Model"))
	require.Equal(t, "up", a.header.Get("X-Signalbox-Provider"))
	plainly := w.told(scriptedtest.OpenAI(scriptedtest.Received{Body: []byte(`{}`)}).WithHeader("Set-Cookie", "a=b").WithHeader("Openai-Organization", "org"), plain(""))
	require.Empty(t, plainly.header.Get("Set-Cookie")+plainly.header.Get("Openai-Organization"))
	require.Equal(t, "expected", plainly.header.Get("X-Signalbox-Route"))
	require.NotEmpty(t, plainly.header.Get("X-Signalbox-Cost-Usd"))
	for _, name := range []string{"Content-Encoding", "Content-Length", "Set-Cookie", "Openai-Organization"} {
		require.Empty(t, a.header.Get(name), name)
	}
}

func TestWireUsageInStreams(t *testing.T) {
	w := newWire(t)
	const cached = `"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":null}`
	const shown = `,"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":4}}`
	text := chunk(`{"role":"assistant","content":"a"}`, "null")
	with := func(event, usage string) string { return strings.TrimSuffix(event, "}") + "," + usage + "}" }
	for name, events := range map[string][]string{
		"W-30 own chunk":         {text, stop, `{"choices":[],` + cached + `}`, "[DONE]"},
		"W-30 no choices":        {text, stop, `{` + cached + `}`, "[DONE]"},
		"W-31 on the finish":     {text, with(stop, cached), "[DONE]"},
		"W-31 behind the finish": {text, stop, with(chunk(`{"content":""}`, "null"), cached), "[DONE]"},
		"on every chunk":         {with(text, `"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}`), with(stop, cached), "[DONE]"},
		"null on every chunk":    {with(text, `"usage":null`), with(stop, `"usage":null`), `{"choices":[],` + cached + `}`},
		"zeros at the end":       {with(text, cached), with(stop, `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`), `{"choices":[],"usage":{}}`, "[DONE]"},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			for _, ask := range []bool{false, true} {
				body, rest, last := stream(""), "", ""
				if ask {
					body, rest, last = stream(`,"stream_options":{"include_usage":true}`), `,"usage":null`, frame("[]", shown)
				}
				a := w.told(scripted.Events(events...), body)
				require.Equal(t, frame(choice(`{"role":"assistant","content":"a"}`, "null"), rest)+frame(choice(`{}`, `"stop"`), rest)+last+done, a.body)
				require.EqualValues(t, 5, a.record.GetTokens().GetInput(), "the log has tokens")
				require.EqualValues(t, 4, a.record.GetTokens().GetCacheRead())
				require.Equal(t, recordv1.CostBasis_COST_BASIS_FINAL, a.record.GetCostBasis())
			}
		})
	}
}

func TestWireSeveralChoices(t *testing.T) {
	w := newWire(t)
	one := func(i, d, finish string) string {
		return `{"index":` + i + `,"delta":` + d + `,"finish_reason":` + finish + `}`
	}
	a := w.told(scripted.Events(
		`{"choices":[`+one("0", `{"content":"a"}`, "null")+`]}`,
		`{"choices":[`+one("1", `{"role":"assistant","content":"b"}`, "null")+`,`+one("0", `{"content":"c"}`, "null")+`]}`,
		`{"choices":[`+one("0", `{}`, `"stop"`)+`]}`,
		`{"choices":[`+one("1", `{}`, `"length"`)+`]}`, "[DONE]"), stream(`,"n":2`))
	require.Equal(t, frame(roleFirst, "")+frame(`[`+one("0", `{"content":"a"}`, "null")+`]`, "")+
		frame(`[`+one("1", `{"role":"assistant","content":"b"}`, "null")+`,`+one("0", `{"content":"c"}`, "null")+`]`, "")+
		frame(`[`+one("0", `{}`, `"stop"`)+`]`, "")+frame(`[`+one("1", `{}`, `"length"`)+`]`, "")+done, a.body)

	a = w.told(scripted.Events(`{"choices":[`+one("0", `{"content":"a"}`, "null")+`,`+one("1", `{"content":"b"}`, "null")+`]}`,
		`{"choices":[`+one("0", `{}`, `"stop"`)+`]}`, "[DONE]"), stream(`,"n":2`))
	require.Contains(t, a.body, "PROVIDER_STREAM_INTERRUPTED", "one of two has not ended")

	first := scripted.Events(`{"choices":[`+one("0", `{"role":"assistant","content":"one"}`, "null")+`]}`, `{"choices":[`+one("0", `{}`, `"stop"`)+`]}`, stop)
	a = w.told(first.First(2, scripted.Reset), stream(`,"n":2`))
	a.broken(t, frame(`[`+one("0", `{"role":"assistant","content":"one"}`, "null")+`]`, "")+frame(`[`+one("0", `{}`, `"stop"`)+`]`, ""))
}

func TestWireLongEvent(t *testing.T) {
	w := newWire(t)
	long := chunk(`{"content":"`+strings.Repeat("x", 5<<20)+`"}`, "null")
	a := w.told(scripted.Events(long, stop, "[DONE]"), stream(""))
	require.True(t, a.body == frame(roleFirst, "")+frame(long[len(`{"choices":`):len(long)-1], "")+delta(`{}`, `"stop"`)+done, "W-40")
}

// W-41 and W-42: an event reaches the client even if the upstream pauses after it. When the client
// disconnects, the upstream call is cancelled.
func TestWireNothingWaits(t *testing.T) {
	w := newWire(t)
	a, b := "data: "+chunk(`{"role":"assistant","content":"a"}`, "null")+"\n\n", "data: "+chunk(`{"content":"b"}`, "null")+"\n\n"
	for _, give := range []scripted.Response{
		scripted.Stream(a, b),
		scripted.Stream(a + b),
		scripted.Stream(a + b + ": ping\n\n"),
		scripted.Stream(a + b + "data: ping\n\n"),
		scripted.Stream(a, b+"event: ping\ndata:\n\ndata: {\"cho"),
		scripted.Stream(a+b).WithHeader("Content-Type", "text/plain"),
		scripted.Stream(strings.ReplaceAll(a+b, "\n", "\r")),
	} {
		give.Ending = scripted.Hang
		w.waitsForNothing(give)
	}
}

// waitsForNothing reads two events of a stream that then hangs, and disconnects.
func (w *wire) waitsForNothing(give scripted.Response) {
	t := w.t
	w.up.Script(give)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+chatPath, strings.NewReader(stream("")))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	for read := ""; strings.Count(read, "\n\n") < 2; {
		buf := make([]byte, 1<<10)
		n, err := res.Body.Read(buf)
		require.NoError(t, err)
		read += string(buf[:n])
	}
	require.NoError(t, res.Body.Close())
	w.up.AwaitDisconnect(t)
	r := w.record()
	require.Equal(t, recordv1.Outcome_OUTCOME_CLIENT_CLOSED, r.GetOutcome())
	require.Equal(t, "CLIENT_CANCELLED", r.GetCode())
	require.Positive(t, r.GetTokens().GetOutput(), "what was delivered is counted")
	_, err = io.Copy(io.Discard, res.Body)
	require.Error(t, err)
}

// The first content reaches the client although no further event arrives, whether the role came
// before it or with it.
func TestWireFirstContentWaitsForNothing(t *testing.T) {
	w := newWire(t)
	role, both, content := "data: "+chunk(`{"role":"assistant","content":""}`, "null")+"\n\n", "data: "+chunk(`{"role":"assistant","content":"a"}`, "null")+"\n\n", "data: "+chunk(`{"content":"a"}`, "null")+"\n\n"
	for _, give := range []scripted.Response{scripted.Stream(both), scripted.Stream(role, content), scripted.Stream(role + content), scripted.Stream(content)} {
		give.Ending = scripted.Hang
		w.up.Script(give)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+chatPath, strings.NewReader(stream("")))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+w.key)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		for read := ""; !strings.Contains(read, `"content":"a"`); {
			buf := make([]byte, 1<<10)
			n, err := res.Body.Read(buf)
			require.NoError(t, err)
			read += string(buf[:n])
		}
		require.NoError(t, res.Body.Close())
		w.up.AwaitDisconnect(t)
		require.Equal(t, recordv1.Outcome_OUTCOME_CLIENT_CLOSED, w.record().GetOutcome())
	}
}
