package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// Everything except the model name reaches the upstream as the client wrote it.
func TestWireRequestsAreForwardedUntouched(t *testing.T) {
	w := newWire(t)
	message := func(s string) string { return `{"model":"small","messages":[` + s + `]}` }
	for name, body := range map[string]string{
		"W-01 vendor extras":      plain(`,"top_k":5,"chat_template_kwargs":{"enable_thinking":false},"enable_thinking":true,"vendor_x":{"a":[1]}`),
		"W-01 big integers":       plain(`,"seed":9223372036854775807,"x_seed":12345678901234567890,"x":-9007199254740993,"y":1e300,"z":0.1000000000000000055511151231257827`),
		"W-01 odd white space":    "\r\n{\t\"vendor\" : [ 1 ,2 ] ,\n \"model\":\"small\" , " + userHi + " }\n\n",
		"W-01 key order":          `{"z":1,"temperature":0,"a":{"z":1,"a":2},` + userHi + `,"model":"small","b":null}`,
		"W-01 escapes":            plain(`,"x":"\u00e9\/\u0000\"\\\ud83d\ude00","\u0079":1`),
		"W-01 schema bytes":       plain(`,"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"Model":{"type":"string"},"model":{"const":1.0}}}}}]`),
		"W-01 names inside":       plain(`,"metadata":{"Model":"x","stream":"y"},"vendor":{"messages":1,"Messages":2}`),
		"W-01 nulls":              plain(`,"temperature":null,"max_tokens":null,"tools":null,"stop":null,"n":null,"stream":null,"response_format":null,"user":null`),
		"W-01 routing names":      plain(`,"provider":{"order":["a"]},"transforms":[],"reasoning":{"effort":"low"},"thinking":{"type":"enabled"}`),
		"W-04 null content":       message(`{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":""}`),
		"W-04 empty content":      message(`{"role":"assistant","content":""},{"role":"user","content":[]}`),
		"W-04 no content":         message(`{"role":"assistant","tool_calls":[]},{"role":"assistant","refusal":"no"}`),
		"W-04 echo fields":        message(`{"role":"assistant","content":"a","reasoning_content":"r","reasoning":"s","reasoning_details":[{"t":1}],"audio":{"id":"x"},"annotations":[],"tool_calls":[{"extra_content":{"g":1}}]}`),
		"W-04 roles":              message(`{"role":"developer","content":"d"},{"role":"system","content":"s"},{"role":"function","name":"f","content":"1"}`),
		"W-05 parts in order":     message(`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA==","detail":"low"}},{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}},{"type":"file","file":{"filename":"f.pdf","file_data":"data:application/pdf;base64,AA=="}},{"type":"text","text":"b"},{"type":"odd","odd":1}]}`),
		"W-07 not without stream": plain(`,"stream":false,"stream_options":{"include_usage":true}`),
		"W-07 null":               plain(`,"stream_options":null`),
		"W-07 nested":             plain(`,"x":{"stream_options":{"a":1}}`),
	} {
		t.Run(name, func(t *testing.T) {
			a := w.in(t).ask(chatPath, body)
			require.Equal(t, http.StatusOK, a.status, a.body)
			want := strings.Replace(body, `"model":"small"`, `"model":"up-small"`, 1)
			for _, options := range []string{`,"stream_options":{"include_usage":true}`, `,"stream_options":null`} {
				want = strings.Replace(want, options, "", 1)
			}
			require.Equal(t, want, string(w.up.Last().Body))
		})
	}
}

func TestWireBodyDecidesTheForm(t *testing.T) {
	w := newWire(t)
	for _, accept := range []string{"application/json", "text/event-stream", "*/*", "text/html"} {
		a := w.ask(chatPath, stream(""), "Accept: "+accept)
		require.Equal(t, "text/event-stream; charset=utf-8", a.header.Get("Content-Type"), "W-08")
		require.True(t, strings.HasSuffix(a.body, "data: [DONE]\n\n"))
		a = w.ask(chatPath, plain(`,"stream":false`), "Accept: "+accept)
		require.Equal(t, "application/json", a.header.Get("Content-Type"), "W-08")
		require.Contains(t, a.body, `"object":"chat.completion"`)
	}
}

func TestWireBadJSON(t *testing.T) {
	w := newWire(t)
	for name, body := range map[string]string{
		"W-09 empty": "", "W-09 blank": " \n", "W-09 array": "[]", "W-09 cut": `{"a":`, "W-09 two": "{}{}",
		"W-09 text": `"x"`, "W-09 null": "null", "W-09 number": "5", "W-09 true": "true",
		"trailing data":          plain("") + "x",
		"trailing comma":         plain(","),
		"trailing NUL":           plain("") + "\x00",
		"BOM":                    "\ufeff" + plain(""),
		"UTF-16":                 "\xff\xfe{\x00}\x00",
		"bad UTF-8":              plain(",\"x\":\"\xff\""),
		"overlong UTF-8":         plain(",\"x\":\"\xc0\xaf\""),
		"surrogate in UTF-8":     plain(",\"x\":\"\xed\xa0\x80\""),
		"lone high surrogate":    plain(`,"x":"\ud83d"`),
		"lone low surrogate":     plain(`,"x":"\ude00\ud83d"`),
		"raw NUL in a text":      plain(",\"x\":\"\x00\""),
		"raw line end in a text": plain(",\"x\":\"\n\""),
		"bad escape":             plain(`,"x":"\x41"`),
		"single quotes":          plain(`,'x':1`),
		"comment":                plain(`,/**/"x":1`),
		"NaN":                    plain(`,"temperature":NaN`),
		"infinity":               plain(`,"temperature":Infinity`),
		"leading zero":           plain(`,"seed":01`),
		"plus":                   plain(`,"seed":+1`),
		"hex":                    plain(`,"seed":0x1`),
		"too deep":               plain(`,"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70)),
		"very deep":              plain(`,"x":` + strings.Repeat(`{"a":`, 100_000)),
		"twice":                  plain(`,"model":"b"`),
		"twice, escaped":         plain(`,"mod\u0065l":"b"`),
		"twice, unknown":         plain(`,"x":1,"x":1`),
		"twice, nested":          plain(`,"x":{"a":[{"b":1,"\u0062":2}]}`),
		"twice, in a message":    `{"model":"small","messages":[{"role":"user","role":"user","content":"hi"}]}`,
		"twice, in a schema":     plain(`,"tools":[{"function":{"parameters":{"type":"object","type":"object"}}}]`),
	} {
		t.Run(name, func(t *testing.T) {
			a := w.in(t).ask(chatPath, body)
			a.refused(t, http.StatusBadRequest, "INVALID_JSON")
			require.Contains(t, a.body, `"offset":`)
		})
	}
	require.Empty(t, w.up.Received())
}

func TestWireBadRequests(t *testing.T) {
	w := newWire(t)
	for body, param := range map[string]string{
		`{"model":"small","messages":"hi"}`:                                    "messages",
		`{"model":"small","messages":{}}`:                                      "messages",
		`{"model":"small","messages":null}`:                                    "messages",
		`{"model":"small","messages":[]}`:                                      "messages",
		`{"model":"small","messages":[null]}`:                                  "messages[0]",
		`{"model":"small","messages":[{"content":"hi"}]}`:                      "messages[0].role",
		`{"model":"small","messages":[{"role":"","content":"hi"}]}`:            "messages[0].role",
		`{"model":"small","messages":[{"role":"user","content":5}]}`:           "messages[0].content",
		`{` + userHi + `}`:                                                     "model",
		`{"model":"",` + userHi + `}`:                                          "model",
		`{"model":5,` + userHi + `}`:                                           "model",
		`{"model":null,` + userHi + `}`:                                        "model",
		`{"model":["a"],` + userHi + `}`:                                       "model",
		plain(`,"stream":"true"`):                                              "stream",
		plain(`,"stream":1`):                                                   "stream",
		plain(`,"temperature":"0"`):                                            "temperature",
		plain(`,"temperature":[]`):                                             "temperature",
		plain(`,"temperature":1e400`):                                          "temperature",
		plain(`,"top_p":true`):                                                 "top_p",
		plain(`,"n":0`):                                                        "n",
		plain(`,"n":129`):                                                      "n",
		plain(`,"n":1e300`):                                                    "n",
		plain(`,"n":1.5`):                                                      "n",
		plain(`,"max_tokens":"5"`):                                             "max_tokens",
		plain(`,"max_tokens":-1`):                                              "max_tokens",
		plain(`,"max_tokens":0`):                                               "max_tokens",
		plain(`,"temperature":5`):                                              "temperature",
		plain(`,"top_p":-1`):                                                   "top_p",
		plain(`,"stop":[1,2]`):                                                 "stop",
		plain(`,"response_format":{"type":5}`):                                 "response_format.type",
		plain(`,"metadata":{"x":"` + strings.Repeat("x", 1<<20) + `"}`):        "metadata",
		`{"model":"small","messages":[{"role":"assistant","tool_calls":"x"}]}`: "messages[0].tool_calls",
		plain(`,"max_completion_tokens":99999999999999999999`):                 "max_completion_tokens",
		plain(`,"tools":"f"`):                                                  "tools",
		plain(`,"tools":[5]`):                                                  "tools[0]",
		plain(`,"tool_choice":5`):                                              "tool_choice",
		plain(`,"parallel_tool_calls":"no"`):                                   "parallel_tool_calls",
		plain(`,"logprobs":"true"`):                                            "logprobs",
		plain(`,"stop":5`):                                                     "stop",
		plain(`,"logit_bias":[]`):                                              "logit_bias",
		plain(`,"metadata":"x"`):                                               "metadata",
		plain(`,"user":5`):                                                     "user",
		plain(`,"response_format":"json_object"`):                              "response_format",
		plain(`,"stream_options":"x"`):                                         "stream_options",
		stream(`,"stream_options":{"include_usage":"yes"}`):                    "stream_options.include_usage",
		plain(`,"Model":"other"`):                                              "Model",
		plain(`,"STREAM":true`):                                                "STREAM",
		plain(`,"\u017ftream":true`):                                           "\u017ftream",
		plain(`,"Temperature":1`):                                              "Temperature",
		`{"model":"small","messages":[{"role":"user","content":"hi","Content":"x"}]}`: "Content",
	} {
		t.Run(body[:min(len(body), 100)], func(t *testing.T) {
			a := w.in(t).ask(chatPath, body)
			a.refused(t, http.StatusBadRequest, "INVALID_REQUEST")
			require.Contains(t, a.body, fmt.Sprintf(`"param":%q`, param))
		})
	}
	for _, more := range []string{`,"x":1e400`, `,"` + strings.Repeat("n", 1<<20) + `":1`} {
		a := w.ask(chatPath, plain(more))
		a.refused(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Contains(t, a.body, `"offset":`)
	}
	require.Empty(t, w.up.Received(), "W-10, W-11")
}

func TestWireNamesAndPaths(t *testing.T) {
	w := newWire(t)
	a := w.ask(chatPath, strings.Replace(plain(""), "small", "no-such-model", 1))
	a.refused(t, http.StatusNotFound, "MODEL_NOT_FOUND")
	require.Contains(t, a.body, `"requested_model":"no-such-model"`, "W-11")

	a = w.ask(chatPath, `{"model":"small","input":[{"role":"user","content":"hi"}],"store":false}`)
	a.refused(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Contains(t, a.body, `"hint":`, "W-12")

	for _, path := range []string{"//proxy/v1//chat/completions", chatPath + "/", "/proxy/v1/chat//completions//"} {
		require.Equal(t, http.StatusOK, w.ask(path, plain("")).status, "W-13 "+path)
	}
	a = w.ask(chatPath, strings.Replace(plain(""), `"small"`, `"sm\u0061ll"`, 1))
	require.Equal(t, http.StatusOK, a.status, "a name may be escaped")
	require.Contains(t, string(w.up.Last().Body), `"model":"up-small"`)
}

// W-14 and W-15: these requests create no record.
func TestWirePathsMethodsAndKeys(t *testing.T) {
	w := newWire(t)
	for _, tt := range []struct {
		name, method, path, header string
		status                     int
		code                       string
	}{
		{"W-14 unknown path", "POST", "/proxy/v1/nope", "A: b", 404, "ENDPOINT_NOT_FOUND"},
		{"W-14 completions", "POST", "/proxy/v1/completions", "A: b", 404, "ENDPOINT_NOT_FOUND"},
		{"W-14 get", "GET", chatPath, "A: b", 405, "METHOD_NOT_ALLOWED"},
		{"W-14 delete", "DELETE", modelsPath + "/small", "A: b", 405, "METHOD_NOT_ALLOWED"},
		{"W-15 no header", "POST", chatPath, "Authorization: ", 401, "AUTH_MISSING_KEY"},
		{"W-15 empty bearer", "POST", chatPath, "Authorization: Bearer ", 401, "AUTH_MISSING_KEY"},
		{"W-15 wrong key", "POST", chatPath, "Authorization: Bearer sk-wrong", 401, "AUTH_INVALID_KEY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, body := w.in(t).call(tt.method, tt.path, plain(""), tt.header)
			a := answered{status: res.StatusCode, header: res.Header, body: strings.ReplaceAll(body, res.Header.Get("X-Request-Id"), "ID")}
			a.refused(t, tt.status, tt.code)
			require.Equal(t, "false", res.Header.Get("X-Should-Retry"))
			require.Equal(t, tt.status == http.StatusMethodNotAllowed, res.Header.Get("Allow") != "")
		})
	}
	res, body := w.call("POST", "/proxy/v1/responses/resp_1/nope", plain(""), "A: b")
	require.Equal(t, http.StatusNotFound, res.StatusCode, body)
	require.Regexp(t, `^\{"error":\{"message":"[^}]*"code":"ENDPOINT_NOT_FOUND"\},"code":"ENDPOINT_NOT_FOUND","details":`, body, "in the format of Responses")
	require.Empty(t, w.up.Received())
	a := w.ask(chatPath, plain(""), "Authorization: ", "api-key: "+w.key)
	require.Equal(t, http.StatusOK, a.status, "W-15")
}

func TestWireNothingOfTheClientsLeaks(t *testing.T) {
	w := newWire(t)
	a := w.ask(chatPath, plain(""), "OpenAI-Organization: org", "OpenAI-Project: p", "X-Stainless-Lang: js", "Cookie: a=b",
		"User-Agent: OpenAI/JS 7.53.0", "HTTP-Referer: https://app.example", "X-Title: t", "X-Forwarded-For: 10.0.0.1",
		"X-Request-Id: mine", "Accept-Encoding: br", "X-Api-Key: "+w.key)
	require.Equal(t, http.StatusOK, a.status, a.body)
	got := w.up.Last()
	for name := range got.Header {
		require.Contains(t, []string{"Accept", "Accept-Encoding", "Content-Type", "Content-Length", "User-Agent"}, name, "W-16")
	}
	require.Equal(t, "identity", got.Header.Get("Accept-Encoding"))
	require.Regexp(t, "^signalbox/", got.Header.Get("User-Agent"))
	require.Empty(t, got.Query)
	require.NotContains(t, fmt.Sprint(got.Header), w.key)
}

// The built-in openai entry removes what OpenAI answers with 400, and tells the client.
func TestWireEmptyMembersForOpenAI(t *testing.T) {
	up := scriptedtest.New(t, scriptedtest.OpenAI)
	w := &wire{up: up, rig: newRigOf(t, fmt.Sprintf(`version: 1
providers: {openai: {base_url: %s/v1, allow_private: true, keys: []}}
models: {small: {endpoints: [{provider: openai, model: up-small}], context: 8192, capabilities: [tools]}}
routes: {auto: {select: [{candidates: [small]}]}}
`, up.URL))}
	a := w.ask(chatPath, plain(`,"tools":[],"tool_choice":"auto","parallel_tool_calls":true,"stop":null,"functions":[],"seed":1`))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, `{"model":"up-small",`+userHi+`,"seed":1}`, string(up.Last().Body))
	require.Equal(t, "tools,tool_choice,parallel_tool_calls,functions", a.header.Get("X-Signalbox-Dropped-Params"))
}

// JSON is UTF-8. A body that claims another charset is refused instead of being misread.
func TestWireCharsets(t *testing.T) {
	w := newWire(t)
	for kind, status := range map[string]int{
		"application/json; charset=utf-8": 200, `application/json;charset="UTF-8"`: 200, "application/json; charset=us-ascii": 200, "application/json; x=y": 200,
		"application/json; charset=latin1": 415, "application/json; charset=ISO-8859-1": 415, "application/json; charset=utf-16": 415, "text/json; charset=windows-1252": 415,
	} {
		a := w.ask(chatPath, plain(""), "Content-Type: "+kind)
		require.Equal(t, status, a.status, "%s: %s", kind, a.body)
		if status == http.StatusUnsupportedMediaType {
			a.refused(t, status, "UNSUPPORTED_MEDIA_TYPE")
			require.Contains(t, a.body, `"supported":["application/json; charset=utf-8"]`)
		}
	}
}

// A request that no provider accepts is refused before the call.
func TestWireSeedsAndStops(t *testing.T) {
	w := newWire(t)
	for more, param := range map[string]string{
		`,"stop":[` + strings.Repeat(`"x",`, 999) + `"x"]`: "stop",
		`,"seed":9223372036854775808`:                      "seed",
	} {
		a := w.ask(chatPath, plain(more))
		a.refused(t, 400, "INVALID_REQUEST")
		require.Contains(t, a.body, `"param":"`+param+`"`)
	}
	require.Empty(t, w.up.Received())
}
