package requestbody_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/requestbody"
)

func chat(t *testing.T, body string) *requestbody.Request {
	t.Helper()
	r, err := requestbody.ParseChat([]byte(body))
	require.NoError(t, err)
	return r
}

// hi wraps members into an otherwise complete chat body.
func hi(members string) string {
	return `{"model":"auto","messages":[{"role":"user","content":"hi"}]` + members + `}`
}

func TestParseChatExtractsRoutingInputs(t *testing.T) {
	r := chat(t, `{
		"messages":[{"role":"developer","content":"be brief"},
			{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`+strings.Repeat("A", 4000)+`"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
			{"role":"tool","tool_call_id":"c","content":"42"}],
		"tools":[{"type":"function","function":{"name":"f","parameters":{"Model":1,"$schema":"x"}}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"n"}},
		"max_tokens":900,"max_completion_tokens":50.0,"temperature":0,"top_p":null,"stream":true,
		"stream_options":{"include_usage":true},"model":"a\u002fb"}`)
	require.Equal(t, catalog.Chat, r.Kind)
	require.Equal(t, "a/b", r.Model)
	require.True(t, r.Stream)
	require.True(t, r.IncludeUsage)
	require.EqualValues(t, 50, r.MaxOutputTokens)
	require.Equal(t, []catalog.Capability{catalog.Tools, catalog.JSONSchema, catalog.Vision}, r.RequiredCapabilities)
	require.EqualValues(t, 4, r.Features.GetOrZero("messages"))
	require.EqualValues(t, 1, r.Features.GetOrZero("turns"))
	require.EqualValues(t, 1, r.Features.GetOrZero("images"))
	require.EqualValues(t, 1, r.Features.GetOrZero("tools"))
	require.EqualValues(t, 1, r.Features.GetOrZero("stream"))
	require.Equal(t, decide.NamedValuesFromMap(r.Features.ToMap()), r.Features, "in the order of their names")
	require.Less(t, r.InputTokens, int64(1000), "a picture's bytes are no text")
}

func TestInputTokensGrowWithTheText(t *testing.T) {
	short := chat(t, hi(""))
	long := chat(t, `{"model":"auto","messages":[{"role":"user","content":"`+strings.Repeat("word ", 800)+`"}]}`)
	require.EqualValues(t, 8, short.InputTokens)
	require.InDelta(t, 807, long.InputTokens, 200)
}

func TestInputTokensOfMedia(t *testing.T) {
	part := func(p string) int64 {
		return chat(t, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"},`+p+`]}]}`).InputTokens - 8
	}
	const small = `data:image/gif;base64,R0lGODlhAQABAAAAACw=`
	require.EqualValues(t, 765, part(`{"type":"image_url","image_url":{"url":"https://example.com/x.png"}}`))
	require.EqualValues(t, 85, part(`{"type":"image_url","image_url":{"detail":"low","url":"https://example.com/x.png"}}`))
	require.EqualValues(t, 255, part(`{"type":"image_url","image_url":{"url":"`+small+`","detail":"high"}}`))
	require.EqualValues(t, 255, part(`{"type":"image_url","image_url":"`+small+`"}`))
	require.EqualValues(t, 765, part(`{"type":"input_audio","input_audio":{"data":"`+strings.Repeat("A", 4000)+`"}}`))
	require.EqualValues(t, 765, part(`{"type":"file","file":{"file_id":"f"}}`))

	tool := chat(t, hi(`,"tools":[{"type":"function","function":{"name":"f","description":"`+strings.Repeat("word ", 50)+`"}}]`)).InputTokens
	require.InDelta(t, 8+4+70, tool, 15)
	require.Greater(t, chat(t, hi(`,"tools":[{},{}]`)).InputTokens, chat(t, hi(`,"tools":[{}]`)).InputTokens+4)
	require.True(t, chat(t, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{}}]}]}`).HasMedia())
	require.False(t, chat(t, hi(`,"tools":[{}]`)).HasMedia())
}

func TestParseChatRequiredCapabilities(t *testing.T) {
	for give, want := range map[string][]catalog.Capability{
		`,"tools":[]`:                               nil,
		`,"tools":null`:                             nil,
		`,"functions":[{"name":"f"}]`:               {catalog.Tools},
		`,"response_format":{"type":"text"}`:        nil,
		`,"response_format":{"type":"json_object"}`: {catalog.JSONObject},
		`,"logprobs":true,"n":2`:                    {catalog.Logprobs, catalog.Choices},
		`,"logprobs":false,"n":1`:                   nil,
	} {
		require.Equal(t, want, chat(t, hi(give)).RequiredCapabilities, give)
	}
	part := func(p string) string {
		return `{"model":"m","messages":[{"role":"user","content":[` + p + `]}]}`
	}
	require.Equal(t, []catalog.Capability{catalog.Audio}, chat(t, part(`{"type":"input_audio","input_audio":{}}`)).RequiredCapabilities)
	require.Equal(t, []catalog.Capability{catalog.Files}, chat(t, part(`{"type":"file","file":{}}`)).RequiredCapabilities)
}

func TestParseChatRejectsInvalidJSON(t *testing.T) {
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for name, give := range map[string]string{
		"empty": "", "null": "null", "array": "[]", "text": `"x"`, "cut": `{"a":`, "two": "{}{}",
		"trailing":       hi("") + "x",
		"BOM":            "\ufeff" + hi(""),
		"duplicate":      hi(`,"model":"b"`),
		"escaped twin":   hi(`,"mod\u0065l":"b"`),
		"nested twin":    `{"model":"m","messages":[{"role":"user","role":"user","content":""}]}`,
		"bad UTF-8":      hi(",\"x\":\"\xff\""),
		"lone surrogate": hi(`,"x":"\ud800"`),
		"NaN":            hi(`,"temperature":NaN`),
		"deep":           hi(`,"x":` + deep),
		"trailing comma": hi(`,`),
		"cut messages":   `{"model":"m","messages":`,
		"cut content":    `{"model":"m","messages":[{"role":"user","content":`,
		"cut options":    strings.TrimSuffix(hi(`,"stream_options":`), "}"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := requestbody.ParseChat([]byte(give))
			require.True(t, apperr.Is(err, apperr.InvalidJSON), "%v", err)
			require.Contains(t, apperr.From(err).Details, "offset")
		})
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

func TestParseChatBoundsMembers(t *testing.T) {
	message := func(members string) string {
		return `{"model":"m","messages":[{"role":"user",` + members + `}]}`
	}
	table := func(n int) string { return `,"x":{` + numbered(n) + `}` }
	few := `{` + numbered(10) + `}`
	for name, tc := range map[string]struct{ good, bad string }{
		"body":     {hi("," + numbered(998)), hi("," + numbered(999))},
		"message":  {message(numbered(999)), message(numbered(1000))},
		"table":    {hi(table(10_000)), hi(table(10_001))},
		"together": {hi(`,"x":[` + few + strings.Repeat(","+few, 24_900) + `]`), hi(`,"x":[` + few + strings.Repeat(","+few, 25_000) + `]`)},
	} {
		t.Run(name, func(t *testing.T) {
			chat(t, tc.good)
			_, err := requestbody.ParseChat([]byte(tc.bad))
			require.True(t, apperr.Is(err, apperr.InvalidRequest), "%v", err)
			require.Contains(t, apperr.From(err).Details, "offset")
		})
	}
}

func TestParseChatLocatesDuplicateName(t *testing.T) {
	body := hi(`,"model":"b"`)
	_, err := requestbody.ParseChat([]byte(body))
	require.Equal(t, "/model", apperr.From(err).Details["path"])
	require.EqualValues(t, strings.LastIndex(body, `"model"`), apperr.From(err).Details["offset"])
}

func TestParseChatRejectsWrongTypes(t *testing.T) {
	one := `{"role":"user","content":"hi"}`
	for give, param := range map[string]string{
		`{}`:                                    "model",
		`{"messages":[` + one + `]}`:            "model",
		`{"model":"","messages":[` + one + `]}`: "model",
		`{"model":"` + strings.Repeat("m", 300) + `","messages":[` + one + `]}`: "model",
		`{"model":5,"messages":[` + one + `]}`:                                  "model",
		`{"model":"m"}`:                                                         "messages",
		`{"model":"m","messages":"hi"}`:                                         "messages",
		`{"model":"m","messages":[]}`:                                           "messages",
		`{"model":"m","messages":[1]}`:                                          "messages[0]",
		`{"model":"m","messages":[` + one + `,{"content":"x"}]}`:                "messages[1].role",
		`{"model":"m","messages":[{"role":5}]}`:                                 "messages[0].role",
		`{"model":"m","messages":[{"role":"user","content":5}]}`:                "messages[0].content",
		`{"model":"m","messages":[{"role":"user","content":["x"]}]}`:            "messages[0].content",
		`{"model":"m","messages":[{"Role":"user"}]}`:                            "Role",
		hi(`,"stream":"true"`):                                                  "stream",
		hi(`,"temperature":"0"`):                                                "temperature",
		hi(`,"temperature":1e400`):                                              "temperature",
		hi(`,"top_p":{}`):                                                       "top_p",
		hi(`,"max_tokens":-1`):                                                  "max_tokens",
		hi(`,"max_tokens":1.5`):                                                 "max_tokens",
		hi(`,"max_tokens":9223372036854775808`):                                 "max_tokens",
		hi(`,"max_completion_tokens":"9"`):                                      "max_completion_tokens",
		hi(`,"n":-5`):                                                           "n",
		hi(`,"max_tokens":0`):                                                   "max_tokens",
		hi(`,"max_completion_tokens":2147483648`):                               "max_completion_tokens",
		hi(`,"temperature":5`):                                                  "temperature",
		hi(`,"temperature":-0.1`):                                               "temperature",
		hi(`,"top_p":-1`):                                                       "top_p",
		hi(`,"top_p":1.01`):                                                     "top_p",
		hi(`,"frequency_penalty":-2.5`):                                         "frequency_penalty",
		hi(`,"stop":[1,2]`):                                                     "stop",
		hi(`,"stop":["a",null]`):                                                "stop",
		hi(`,"stop":[` + strings.Repeat(`"a",`, 16) + `"a"]`):                   "stop",
		hi(`,"seed":9223372036854775808`):                                       "seed",
		hi(`,"seed":-9223372036854775809`):                                      "seed",
		hi(`,"seed":0.5`):                                                       "seed",
		hi(`,"seed":"1"`):                                                       "seed",
		hi(`,"stop":{}`):                                                        "stop",
		hi(`,"response_format":{"type":5}`):                                     "response_format.type",
		hi(`,"metadata":"x"`):                                                   "metadata",
		hi(`,"metadata":{"x":"` + strings.Repeat("x", 17<<10) + `"}`):           "metadata",
		hi(`,"metadata":{` + numbered(65) + `}`):                                "metadata",
		hi(`,"user":"` + strings.Repeat("x", 5<<10) + `"`):                      "user",
		`{"model":"m","messages":[{"role":"assistant","tool_calls":"x"}]}`:      "messages[0].tool_calls",
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[1]}]}`:      "messages[0].tool_calls",
		hi(`,"tools":{}`):                                                       "tools",
		hi(`,"response_format":"json"`):                                         "response_format",
		hi(`,"stream_options":true`):                                            "stream_options",
		hi(`,"stream_options":{"include_usage":1}`):                             "stream_options.include_usage",
		hi(`,"MODEL":"b"`):                                                      "MODEL",
		hi(`,"\u017ftream":true`):                                               "\u017ftream",
	} {
		t.Run(give, func(t *testing.T) {
			_, err := requestbody.ParseChat([]byte(give))
			require.True(t, apperr.Is(err, apperr.InvalidRequest), "%v", err)
			require.Equal(t, param, apperr.From(err).Details["param"])
			require.Contains(t, apperr.From(err).Message, param)
		})
	}
}

// These bodies are valid JSON, but upstreams differ in how they read them.
func TestParseChatRejectsUnportableJSON(t *testing.T) {
	for _, give := range []string{
		hi(`,"x":1e400`), hi(`,"x":{"y":[-1e999]}`), hi(`,"` + strings.Repeat("n", 5<<10) + `":1`),
		hi(`,"tools":[{"` + strings.Repeat("n", 5<<10) + `":1}]`),
	} {
		_, err := requestbody.ParseChat([]byte(give))
		require.True(t, apperr.Is(err, apperr.InvalidRequest), "%v", err)
		require.Contains(t, apperr.From(err).Details, "offset")
	}
}

func TestParseChatAcceptsAllowedValues(t *testing.T) {
	pair := func(i int) string { return fmt.Sprintf(`"%064d":"%s"`, i, strings.Repeat("v", 512)) }
	pairs := pair(0)
	for i := range 15 {
		pairs += "," + pair(i+1)
	}
	for _, give := range []string{
		`,"metadata":{` + pairs + `}`, `,"metadata":null`, `,"stop":null`, `,"stop":["a","b"]`, `,"stop":[` + strings.Repeat(`"a",`, 15) + `"a"]`, `,"seed":9223372036854775807`, `,"seed":-9223372036854775808`, `,"seed":null`, `,"seed":1.0`, `,"stop":"a"`, `,"temperature":2,"top_p":0,"presence_penalty":-2`,
		`,"max_tokens":1,"response_format":{"type":null}`, `,"max_completion_tokens":2147483647`,
	} {
		chat(t, hi(give))
	}
	require.Equal(t, 3, chat(t, hi(`,"n":3.0`)).Choices)
	require.Equal(t, 1, chat(t, hi(`,"n":null`)).Choices)
}

func TestEscapesCountAsCharacters(t *testing.T) {
	const word = `\u0434\u0430 \n\u20ac\ud83d\ude00`
	message := func(s string) string {
		return `{"model":"m","messages":[{"role":"user","content":` + s + `},{"role":"user","name":` + s + `,"content":[{"type":"text","text":` + s + `}]}],` +
			`"tools":[{"description":` + s + `}],"response_format":{"type":"json_schema","x":` + s + `}}`
	}
	escaped := `"` + strings.Repeat(word, 9) + `"` // short enough to be read completely
	var plainly string
	require.NoError(t, json.Unmarshal([]byte(escaped), &plainly))
	plainly = `"` + strings.ReplaceAll(plainly, "\n", "\x7f") + `"`
	require.Equal(t, chat(t, message(plainly)).Features, chat(t, message(escaped)).Features)
	require.Equal(t, chat(t, message(plainly)).InputTokens, chat(t, message(escaped)).InputTokens)
	tokens := func(s string) int64 {
		r, err := requestbody.ParseEmbeddings([]byte(`{"model":"m","input":` + s + `}`))
		require.NoError(t, err)
		return r.InputTokens
	}
	require.Equal(t, tokens(plainly), tokens(escaped))
}

func TestParseChatDetectsResponsesBody(t *testing.T) {
	_, err := requestbody.ParseChat([]byte(`{"model":"auto","input":[{"role":"user","content":"hi"}]}`))
	require.True(t, apperr.Is(err, apperr.InvalidRequest))
	require.Equal(t, "messages", apperr.From(err).Details["param"])
	require.NotEmpty(t, apperr.From(err).Details["hint"])
}

func TestParseEmbeddings(t *testing.T) {
	for give, want := range map[string]struct {
		inputs int
		tokens int64
	}{
		`"x"`:         {1, 1},
		`["a","b"]`:   {2, 2},
		`[1,2,3]`:     {1, 3},
		`[[1],[2,3]]`: {2, 3},
	} {
		r, err := requestbody.ParseEmbeddings([]byte(`{"input":` + give + `,"model":"e","dimensions":8,"encoding_format":"base64"}`))
		require.NoError(t, err, give)
		require.Equal(t, catalog.Embeddings, r.Kind)
		require.Equal(t, want.inputs, r.InputCount, give)
		require.Equal(t, want.tokens, r.InputTokens, give)
		require.True(t, r.WantsBase64)
	}
}

func TestParseEmbeddingsRejects(t *testing.T) {
	many := `["a"` + strings.Repeat(`,"a"`, 2048) + `]`
	for members, param := range map[string]string{
		`"model":"e"`: "input", `"input":"x"`: "model",
		`"model":"e","input":""`: "input", `"model":"e","input":[]`: "input",
		`"model":"e","input":[""]`: "input", `"model":"e","input":[[]]`: "input",
		`"model":"e","input":["a",1]`: "input", `"model":"e","input":[1,"a"]`: "input",
		`"model":"e","input":{}`: "input", `"model":"e","input":[1.5]`: "input",
		`"model":"e","input":null`: "input", `"model":"e","input":` + many: "input",
		`"model":"e","input":"x","encoding_format":"hex"`: "encoding_format",
		`"model":"e","input":"x","dimensions":"8"`:        "dimensions",
		`"model":"e","input":"x","Input":"y"`:             "Input",
	} {
		_, err := requestbody.ParseEmbeddings([]byte(`{` + members + `}`))
		require.True(t, apperr.Is(err, apperr.InvalidRequest), "%s: %v", members[:min(60, len(members))], err)
		require.Equal(t, param, apperr.From(err).Details["param"], members[:min(60, len(members))])
	}
}

func TestExcerpt(t *testing.T) {
	body := func(content string) string {
		return `{"model":"m","messages":[{"role":"user","content":"first"},{"content":` + content +
			`,"role":"user"},{"role":"assistant","content":"no"}]}`
	}
	for _, tc := range []struct {
		name, give string
		limit      int
		want       string
	}{
		{"text", `"hello"`, 100, "hello"},
		{"cut", `"hello"`, 3, "hel"},
		{"rune", `"h\u00e4\u00e4"`, 8, "h\u00e4"},
		{"raw rune", "\"h\u00e4\u00e4\"", 4, "h\u00e4"},
		{"escape", `"a\nb\"c"`, 4, "a\nb"},
		{"pair", `"\ud83d\ude00x"`, 11, ""},
		{"whole pair", `"\ud83d\ude00x"`, 12, "\U0001f600"},
		{"parts", `[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"u"}},{"text":"b","type":"text"}]`, 100, "a\nb"},
		{"cut parts", `[{"type":"text","text":"abc"},{"text":"def","type":"text"}]`, 6, "abc\nde"},
		{"null", `null`, 100, ""},
		{"long", `"` + strings.Repeat("x", 9000) + `"`, 1 << 20, strings.Repeat("x", requestbody.MaxExcerptBytes)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, chat(t, body(tc.give)).Excerpt(tc.limit))
			require.Equal(t, "before "+tc.want, string(chat(t, body(tc.give)).AppendExcerpt([]byte("before "), tc.limit)))
		})
	}
	require.Empty(t, chat(t, `{"model":"m","messages":[{"role":"system","content":"s"}]}`).Excerpt(10))
}

// Routing rules can use the metadata of a request within the format's own limits.
// Other metadata is only forwarded.
func TestMetadataForRouting(t *testing.T) {
	give := `,"metadata":{"purpose":"batch","n":1,"o":{"purpose":"b"},"esc\u0061ped":"caf\u00e9","long":"` + strings.Repeat("x", 513) + `","` + strings.Repeat("k", 65) + `":"v"}`
	require.Equal(t, map[string]string{"purpose": "batch", "escaped": "caf\u00e9"}, chat(t, hi(give)).Metadata)
	require.Nil(t, chat(t, hi("")).Metadata)
	require.Nil(t, chat(t, hi(`,"metadata":null`)).Metadata)
	var pairs []string
	for i := range 20 {
		pairs = append(pairs, fmt.Sprintf(`"k%d":"v"`, i))
	}
	require.Len(t, chat(t, hi(`,"metadata":{`+strings.Join(pairs, ",")+`}`)).Metadata, 16)
}
