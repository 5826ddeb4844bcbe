package normalize_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

const (
	chunkHead = `data: {"id":"r1","object":"chat.completion.chunk","created":7,"model":"m"`
	roleFrame = chunkHead + `,"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	done      = "data: [DONE]\n\n"
	stopEvent = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

func newStream(includeUsage bool) *normalize.Stream {
	return normalize.NewStream(normalize.StreamOptions{ID: "r1", Created: 7, Model: "m", IncludeUsage: includeUsage, InputTokens: 9})
}

// play sends events through a stream and returns the bytes for the client.
func play(t *testing.T, s *normalize.Stream, events ...string) string {
	t.Helper()
	var out []byte
	for _, e := range events {
		var err error
		out, err = s.AppendEvent(out, []byte(e))
		require.NoError(t, err, e)
	}
	return string(out)
}

// choiceFrame returns the frame of one choice with the given delta and reason.
func choiceFrame(delta, reason string) string {
	return chunkHead + `,"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}` + "\n\n"
}

func deltaEvent(delta, reason string) string {
	return `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]}`
}

func TestStreamBytes(t *testing.T) {
	s := newStream(false)
	got := play(t, s,
		`{"id":"up","object":"chat.completion.chunk","created":1.5,"model":"up","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
		`{"id":"up","choices":[{"index":0,"delta":{"content":"Hel\n"},"logprobs":null,"finish_reason":null}]}`,
		stopEvent,
		`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`)
	end, err := s.Finish(nil)
	require.NoError(t, err)
	require.Equal(t, choiceFrame(`{"role":"assistant","content":""}`, "null")+
		chunkHead+`,"choices":[{"index":0,"delta":{"content":"Hel\n"},"logprobs":null,"finish_reason":null}]}`+"\n\n"+
		choiceFrame(`{}`, `"stop"`)+done, got+string(end))
	require.Equal(t, &catalog.Usage{Input: 5, Output: 2}, s.Usage())
	require.Equal(t, 4, s.OutputTextBytes())
}

func TestStreamDeltas(t *testing.T) {
	call := func(s string) string { return `{"tool_calls":[` + s + `]}` }
	for name, tc := range map[string]struct {
		give []string
		want string
	}{
		"role first": {
			[]string{deltaEvent(`{"content":"a"}`, "null")},
			roleFrame + choiceFrame(`{"content":"a"}`, "null"),
		},
		"role once": {
			[]string{deltaEvent(`{"role":"assistant","content":"a"}`, "null"), deltaEvent(`{"role":"assistant","content":"b"}`, "null")},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") + choiceFrame(`{"content":"b"}`, "null"),
		},
		"unknown members": {
			[]string{`{"citations":[1],"choices":[{"index":0,"delta":{"reasoning_content":"r","x":{"y":1}},"z":1,"finish_reason":null}]}`},
			roleFrame + chunkHead + `,"citations":[1],"choices":[{"index":0,"delta":{"reasoning_content":"r","x":{"y":1}},"z":1,"finish_reason":null}]}` + "\n\n",
		},
		"lines joined": {
			[]string{"{\"choices\":[{\"index\":0,\"delta\":{\"x\":{\r\n\"y\":\n1}}}]}"},
			roleFrame + choiceFrame(`{"x":{  "y": 1}}`, "null"),
		},
		"vendor members without choices": {
			[]string{
				`{"choices":[],"prompt_filter_results":[1]}`, `{"choices":[],"x":1,"y":1}`, `{"x":2,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}`,
				deltaEvent(`{"content":"b"}`, "null"), `{"choices":[],"z":1}`, deltaEvent(`{"content":"c"}`, "null"), stopEvent, `{"choices":[],"late":1}`,
			},
			roleFrame + chunkHead + `,"prompt_filter_results":[1],"x":2,"y":1,"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}` + "\n\n" +
				choiceFrame(`{"content":"b"}`, "null") + choiceFrame(`{"content":"c"}`, "null") +
				chunkHead + `,"z":1,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		},
		"vendor objects that are no chunks": {
			[]string{`{"type":"ping"}`, `{"x_groq":{"id":"r"}}`, `{"time":1}`, `{}`, deltaEvent(`{"role":"assistant","content":"a"}`, "null"), `{"type":"ping"}`, stopEvent},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") + choiceFrame(`{}`, `"stop"`),
		},
		"too many vendor members": {
			[]string{`{"choices":[],"big":"` + strings.Repeat("x", 64<<10) + `"}`, deltaEvent(`{"role":"assistant","content":"a"}`, "null")},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null"),
		},
		"index out of range": {
			[]string{
				deltaEvent(`{"role":"assistant","content":"a"}`, "null"), `{"choices":[{"index":128,"delta":{"content":"x"},"finish_reason":"stop"}]}`,
				`{"choices":[{"index":-1,"delta":{"content":"x"},"finish_reason":"error"},{"index":0,"delta":{"content":"b"},"finish_reason":null}]}`,
			},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") + choiceFrame(`{"content":"b"}`, "null"),
		},
		"order is the only clue": {
			[]string{
				deltaEvent(call(`{"index":0,"id":"c0","function":{"name":"e","arguments":"{}"}}`), "null"),
				deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f"}},{"index":0,"id":"c2","function":{"name":"g"}}`), "null"),
				deltaEvent(call(`{"index":0,"function":{"arguments":"{1"}},{"index":0,"function":{"arguments":"{2"}}`), "null"),
				deltaEvent(call(`{"index":0,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c0","type":"function","function":{"name":"e","arguments":"{}"}}`), "null") +
				choiceFrame(call(`{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":""}},{"index":2,"id":"c2","type":"function","function":{"name":"g","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":1,"function":{"arguments":"{1"}},{"index":2,"function":{"arguments":"{2"}}`), "null") +
				choiceFrame(call(`{"index":1,"function":{"arguments":"}"}},{"index":2,"function":{"arguments":"}"}}`), "null"),
		},
		"a name in pieces": {
			[]string{
				deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"get_"}}`), "null"),
				deltaEvent(call(`{"index":0,"function":{"name":"weather","arguments":""}}`), "null"),
				deltaEvent(call(`{"index":0,"function":{"name":"get_weather","arguments":"{}"}}`), "null"),
				deltaEvent(call(`{"index":0,"function":{"name":"other","arguments":"{}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"get_","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"name":"weather","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"arguments":"{}"}}`), "null") +
				choiceFrame(call(`{"index":1,"id":"call_r1_1","type":"function","function":{"name":"other","arguments":"{}"}}`), "null"),
		},
		"content after the finish": {
			[]string{deltaEvent(`{"role":"assistant","content":"a"}`, "null"), deltaEvent(`{"content":"b"}`, "null"), deltaEvent(`{}`, `"length"`), deltaEvent(`{"content":"c"}`, "null")},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") + choiceFrame(`{"content":"b"}`, "null") + choiceFrame(`{"content":"c"}`, `"length"`),
		},
		"finish in every chunk": {
			[]string{deltaEvent(`{"role":"assistant","content":"a"}`, `"stop"`), deltaEvent(`{"content":"b"}`, `"stop"`), deltaEvent(`{"content":"c"}`, `"length"`), deltaEvent(`{}`, `"length"`)},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") + choiceFrame(`{"content":"b"}`, "null") + choiceFrame(`{"content":"c"}`, `"length"`),
		},
		"finish in every fragment of a call": {
			[]string{deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f"}}`), `"tool_calls"`), deltaEvent(call(`{"index":0,"function":{"arguments":"{}"}}`), `"tool_calls"`)},
			roleFrame + choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"arguments":"{}"}}`), `"tool_calls"`),
		},
		"calls after the finish": {
			[]string{deltaEvent(`{"role":"assistant","content":"a"}`, `"stop"`), deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}`), "null"), stopEvent},
			choiceFrame(`{"role":"assistant","content":"a"}`, "null") +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`), `"tool_calls"`),
		},
		"another choice after the finish": {
			[]string{deltaEvent(`{"role":"assistant","content":"a"}`, `"stop"`), `{"choices":[{"index":1,"delta":{"role":"assistant","content":"b"},"finish_reason":"length"}]}`},
			choiceFrame(`{"role":"assistant","content":"a"}`, `"stop"`) +
				strings.Replace(choiceFrame(`{"role":"assistant","content":"b"}`, `"length"`), `"index":0`, `"index":1`, 1),
		},
		"calls twice": {
			[]string{deltaEvent(`{"tool_calls":[{"id":"c0"}],"tool_calls":[{"id":"c1"}]}`, "null")},
			roleFrame + choiceFrame(call(`{"index":0,"id":"c1","type":"function"}`), "null"),
		},
		"names twice": {
			[]string{`{"x":1,"choices":[{"index":7,"delta":{"content":"q"}}],"choices":[{"index":3,"index":0,"delta":{"content":"a","y":1},"delta":{"content":"b","content":"c","z":{"q":1,"q":2}}}]}`},
			roleFrame + chunkHead + `,"x":1,"choices":[{"index":0,"delta":{"content":"c","z":{"q":1,"q":2}},"finish_reason":null}]}` + "\n\n",
		},
		"index missing": {
			[]string{
				deltaEvent(call(`{"id":"c1","function":{"name":"f","arguments":""}}`), "null"),
				deltaEvent(call(`{"function":{"arguments":"{}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"arguments":"{}"}}`), "null"),
		},
		"identity on every fragment": {
			[]string{
				deltaEvent(call(`{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}`), "null"),
				deltaEvent(call(`{"index":1,"id":"c1","type":"function","function":{"name":"f","arguments":"}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"arguments":"}"}}`), "null"),
		},
		"one index for all": {
			[]string{
				deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}`), "null"),
				deltaEvent(call(`{"index":0,"id":"c2","function":{"name":"f","arguments":"{}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`), "null") +
				choiceFrame(call(`{"index":1,"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}`), "null"),
		},
		"back to the first call": {
			[]string{
				deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f"}},{"index":0,"id":"c2","function":{"name":"g"}}`), "null"),
				deltaEvent(call(`{"index":0,"id":"c1","function":{"arguments":"{}"}}`), "null"),
			},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":""}},`+
					`{"index":1,"id":"c2","type":"function","function":{"name":"g","arguments":""}}`), "null") +
				choiceFrame(call(`{"index":0,"function":{"arguments":"{}"}}`), "null"),
		},
		"delta and message": {
			[]string{`{"choices":[{"delta":{"content":"a","x":1},"message":{"content":"a","x":1}}]}`},
			roleFrame + choiceFrame(`{"content":"a","x":1}`, "null"),
		},
		"whole calls without index or id": {
			[]string{deltaEvent(call(`{"function":{"name":"f","arguments":{"a":"b"}}},{"function":{"name":"f"},"extra_content":1}`), "null")},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"call_r1_0","type":"function","function":{"name":"f","arguments":"{\"a\":\"b\"}"}},`+
					`{"index":1,"id":"call_r1_1","type":"function","function":{"name":"f","arguments":""},"extra_content":1}`), "null"),
		},
		"custom tool": {
			[]string{deltaEvent(call(`{"index":0,"id":"c1","type":"custom","custom":{"name":"f"}}`), "null")},
			roleFrame + choiceFrame(call(`{"index":0,"id":"c1","type":"custom","custom":{"name":"f"}}`), "null"),
		},
		"tools finish": {
			[]string{deltaEvent(call(`{"index":0,"id":"c1","function":{"name":"f","arguments":"{}"}}`), "null"), stopEvent},
			roleFrame +
				choiceFrame(call(`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`), "null") +
				choiceFrame(`{}`, `"tool_calls"`),
		},
		"no calls at all": {
			[]string{deltaEvent(`{"content":"a","tool_calls":[]}`, `""`), deltaEvent(`{"tool_calls":null}`, `"MAX_TOKENS"`)},
			roleFrame + choiceFrame(`{"content":"a"}`, "null") + choiceFrame(`{}`, `"length"`),
		},
		"empty delta after the finish": {
			[]string{stopEvent, `{"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage":{}}`},
			roleFrame + choiceFrame(`{}`, `"stop"`),
		},
		"complete response": {
			[]string{`{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"end_turn"}],"usage":{}}`},
			choiceFrame(`{"role":"assistant","content":"hi"}`, `"stop"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStream(false)
			got := play(t, s, tc.give...)
			if s.IsFinished() {
				end, err := s.Finish(nil)
				require.NoError(t, err)
				got += strings.TrimSuffix(string(end), done)
			}
			require.Equal(t, tc.want, got)
		})
	}
}

// An empty finish reason ends a choice only if nothing follows it.
func TestStreamEndsWithEmptyFinishReason(t *testing.T) {
	const empty = `{"choices":[{"index":0,"delta":{},"finish_reason":""}]}`
	first := deltaEvent(`{"role":"assistant","content":"a"}`, `""`)
	firstFrame := choiceFrame(`{"role":"assistant","content":"a"}`, "null")
	call := deltaEvent(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}}]}`, `""`)
	for name, tc := range map[string]struct {
		give []string
		want string
	}{
		"and nothing else":      {[]string{first, empty}, firstFrame + choiceFrame(`{}`, "null") + choiceFrame(`{}`, `"stop"`) + done},
		"and usage":             {[]string{first, empty, `{"choices":[],"usage":{"prompt_tokens":1}}`}, firstFrame + choiceFrame(`{}`, "null") + choiceFrame(`{}`, `"stop"`) + done},
		"and more":              {[]string{first, empty, deltaEvent(`{"content":"b"}`, `""`), deltaEvent(`{}`, `"length"`)}, firstFrame + choiceFrame(`{}`, "null") + choiceFrame(`{"content":"b"}`, "null") + choiceFrame(`{}`, `"length"`) + done},
		"and more, then silent": {[]string{first, deltaEvent(`{"content":"b"}`, `""`), empty, deltaEvent(`{"content":"c"}`, `""`)}, ""},
		"and a call": {
			[]string{call, empty},
			roleFrame + choiceFrame(`{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`, "null") +
				choiceFrame(`{}`, "null") + choiceFrame(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`, `"tool_calls"`) + done,
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStream(false)
			out := play(t, s, tc.give...)
			if name != "and more" {
				require.False(t, s.IsFinished(), "more may come")
			}
			end, err := s.Finish(nil)
			if tc.want == "" {
				require.True(t, apperr.Is(err, apperr.ProviderInterrupted), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, out+string(end))
		})
	}
}

func TestStreamWaitsForEveryChoice(t *testing.T) {
	s := normalize.NewStream(normalize.StreamOptions{ID: "r1", Created: 7, Model: "m", Choices: 2})
	play(t, s, stopEvent)
	require.False(t, s.IsFinished())
	_, err := s.Finish(nil)
	require.True(t, apperr.Is(err, apperr.ProviderInterrupted))
	s.MarkDone()
	_, err = s.Finish(nil)
	require.NoError(t, err, "the upstream has sent [DONE]")
	play(t, s, strings.Replace(stopEvent, `"index":0`, `"index":1`, 1))
	require.True(t, s.IsFinished())
}

func TestStreamSendsUsageOnlyOnRequest(t *testing.T) {
	events := []string{
		deltaEvent(`{"role":"assistant","content":"hi"}`, "null"),
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":4,` +
			`"prompt_tokens_details":{"cached_tokens":6,"x":1},"completion_tokens_details":{"reasoning_tokens":3},"cost":0.1}}`,
	}
	want := &catalog.Usage{Input: 4, CacheRead: 6, Output: 4, Reasoning: 3}

	quiet := newStream(false)
	require.NotContains(t, play(t, quiet, events...), "usage")
	end, err := quiet.Finish(nil)
	require.NoError(t, err)
	require.Equal(t, choiceFrame(`{}`, `"stop"`)+done, string(end))
	require.Equal(t, want, quiet.Usage())

	asked := newStream(true)
	got := play(t, asked, events...)
	end, err = asked.Finish(nil)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(got+string(end), `,"usage":null}`+"\n\n"))
	_, usage, _ := strings.Cut(string(end), `,"usage":null}`+"\n\n")
	require.Equal(t, chunkHead+`,"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14,`+
		`"prompt_tokens_details":{"cached_tokens":6,"x":1},"completion_tokens_details":{"reasoning_tokens":3},"cost":0.1}}`+"\n\n"+done, usage)
	require.Equal(t, want, asked.Usage())
}

func TestStreamEstimatesMissingUsage(t *testing.T) {
	s := newStream(true)
	play(t, s, deltaEvent(`{"content":"eight by"}`, "null"), stopEvent)
	end, err := s.Finish(nil)
	require.NoError(t, err)
	require.Contains(t, string(end), `"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`)
	require.Nil(t, s.Usage())
}

func TestStreamEstimatesMissingOutput(t *testing.T) {
	s := normalize.NewStream(normalize.StreamOptions{IncludeUsage: true, InputTokens: 7})
	_, err := s.AppendEvent(nil, []byte(`{"choices":[{"index":0,"delta":{"content":"hello there"}}],"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60}}}`))
	require.NoError(t, err)
	require.False(t, s.HasCompleteUsage())
	require.Equal(t, catalog.Usage{Input: 40, CacheRead: 60}, *s.Usage())
	require.True(t, s.ReportedValues().OutputUnknown)
	_, err = s.AppendEvent(nil, []byte(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`))
	require.NoError(t, err)
	frames, err := s.Finish(nil)
	require.NoError(t, err)
	require.Contains(t, string(frames), `"usage":{"prompt_tokens":100,"completion_tokens":3,"total_tokens":103,"prompt_tokens_details":{"cached_tokens":60}}`)
}

func TestUsageBuckets(t *testing.T) {
	for give, want := range map[string]catalog.Usage{
		`{"prompt_tokens":3,"completion_tokens":2.0,"total_tokens":null}`:                                                                            {Input: 3, Output: 2},
		`{"prompt_tokens":"3","completion_tokens":"2","prompt_tokens_details":{"cached_tokens":"1"}}`:                                                {Input: 2, CacheRead: 1, Output: 2},
		`{"prompt_tokens":3,"total_tokens":8}`:                                                                                                       {Input: 3, Output: 5},
		`{"completion_tokens":3,"total_tokens":8}`:                                                                                                   {Input: 5, Output: 3},
		`{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":9}}`:                                                                            {CacheRead: 3},
		`{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":2,"cache_write_tokens":3}}`:                                                     {Input: 4, CacheRead: 2, CacheWrite: 3},
		`{"prompt_tokens":1,"completion_tokens":2,"total_tokens":8,"completion_tokens_details":{"reasoning_tokens":5}}`:                              {Input: 1, Output: 7, Reasoning: 5},
		`{"prompt_tokens":1,"completion_tokens":7,"total_tokens":8,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":5}}`: {Input: 1, Output: 7, Reasoning: 5},
	} {
		s := newStream(false)
		play(t, s, `{"choices":[],"usage":`+give+`}`)
		require.Equal(t, &want, s.Usage(), give)
	}
}

// Zero usage counts at the end of a stream, but not before.
func TestZeroUsage(t *testing.T) {
	const zeros = `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}`
	text, last := strings.TrimSuffix(deltaEvent(`{"content":"a"}`, "null"), "}")+","+zeros, strings.TrimSuffix(stopEvent, "}")+","+zeros
	for name, tc := range map[string]struct {
		give []string
		want *catalog.Usage
	}{
		"before the end":     {[]string{text, stopEvent}, nil},
		"with the end":       {[]string{text, last}, &catalog.Usage{}},
		"after the end":      {[]string{stopEvent, `{"choices":[],` + zeros}, &catalog.Usage{}},
		"after other counts": {[]string{stopEvent, `{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":1}}`, `{"choices":[],` + zeros}, &catalog.Usage{Input: 4, Output: 1}},
		"before other":       {[]string{last, `{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":1}}`}, &catalog.Usage{Input: 4, Output: 1}},
	} {
		s := newStream(false)
		play(t, s, tc.give...)
		require.Equal(t, tc.want, s.Usage(), name)
		require.Equal(t, tc.want != nil, s.HasCompleteUsage(), name)
	}
	a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"a"}}],`+zeros), responseOptions)
	require.NoError(t, err)
	require.Equal(t, &catalog.Usage{}, a.Usage)
	require.Contains(t, string(a.Body), `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`)
}

// A total alone does not show how many tokens were input and output.
func TestTotalAloneIsNotUsage(t *testing.T) {
	a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"eight by"}}],"usage":{"total_tokens":30}}`), responseOptions)
	require.NoError(t, err)
	require.Nil(t, a.Usage)
	require.Contains(t, string(a.Body), `"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`)
	s := newStream(true)
	play(t, s, stopEvent, `{"choices":[],"usage":{"prompt_tokens":4,"completion_tokens":1}}`, `{"choices":[],"usage":{"total_tokens":30}}`)
	require.Equal(t, &catalog.Usage{Input: 4, Output: 1}, s.Usage())
}

func TestImplausibleUsageIsIgnored(t *testing.T) {
	const huge = `9223372036854775807`
	for _, absurd := range []string{
		`{"prompt_tokens":-1,"completion_tokens":2}`, `{"prompt_tokens":` + huge + `,"completion_tokens":` + huge + `}`,
		`{"prompt_tokens":1e300}`, `{"total_tokens":1099511627777}`, `{"completion_tokens":1.5}`,
		`{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":` + huge + `},"cost":1}`,
	} {
		s := newStream(true)
		play(t, s, deltaEvent(`{"content":"eight by"}`, "null"), stopEvent, `{"choices":[],"usage":`+absurd+`}`)
		require.Nil(t, s.Usage(), absurd)
		end, err := s.Finish(nil)
		require.NoError(t, err)
		require.Contains(t, string(end), `"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`, absurd)

		a, err := normalize.Chat([]byte(`{"choices":[{"message":{"content":"eight by"}}],"usage":`+absurd+`}`), responseOptions)
		require.NoError(t, err)
		require.Nil(t, a.Usage, absurd)
		require.Contains(t, string(a.Body), `"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}`, absurd)
	}
	s := newStream(true)
	play(t, s, stopEvent, `{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":1}}`)
	end, err := s.Finish(nil)
	require.NoError(t, err)
	require.Contains(t, string(end), `"total_tokens":7`, "no total is less than its parts")
}

func TestStreamStartsWithContent(t *testing.T) {
	for delta, want := range map[string]bool{
		`{"role":"assistant"}`:            false,
		`{"content":""}`:                  false,
		`{"content":null,"refusal":null}`: false,
		`{"reasoning_content":""}`:        false,
		`{"content":"a"}`:                 true,
		`{"refusal":"no"}`:                true,
		`{"reasoning_content":"hm"}`:      true,
		`{"tool_calls":[{"id":"c"}]}`:     true,
		`{"function_call":{"name":"f"}}`:  true,
	} {
		s := newStream(false)
		play(t, s, deltaEvent(delta, "null"))
		require.Equal(t, want, s.HasStarted(), delta)
	}
	s := newStream(false)
	play(t, s, stopEvent)
	require.True(t, s.HasStarted())
}

func TestStreamWithoutFinishIsInterrupted(t *testing.T) {
	for _, events := range [][]string{
		nil,
		{deltaEvent(`{"content":"a"}`, "null")},
		{stopEvent, `{"choices":[{"index":1,"delta":{"content":"a"}}]}`},
	} {
		s := newStream(true)
		play(t, s, events...)
		out, err := s.Finish([]byte("kept"))
		require.True(t, apperr.Is(err, apperr.ProviderInterrupted), "%v", err)
		require.Equal(t, "kept", string(out))
	}
}

func TestStreamErrors(t *testing.T) {
	for give, want := range map[string]apperr.Code{
		`{"error":{"message":"no","code":400}}`:                        apperr.ProviderBadRequest,
		`{"error":{"message":"no","type":"invalid_request_error"}}`:    apperr.ProviderBadRequest,
		`{"error":{"message":"slow","code":"429"}}`:                    apperr.ProviderRateLimited,
		`{"error":{"type":"overloaded_error","message":"Overloaded"}}`: apperr.ProviderOverloaded,
		`{"error":{"message":"x","code":500}}`:                         apperr.ProviderUpstream,
		`{"error":{"message":"x","code":"insufficient_quota"}}`:        apperr.ProviderQuotaExhausted,
		`{"error":{"message":"x","code":"context_length_exceeded"}}`:   apperr.ContextLengthExceeded,
		`{"error":"it broke","choices":[]}`:                            apperr.ProviderInvalidResponse,
		`{"object":"error","message":"x","code":503}`:                  apperr.ProviderOverloaded,
		deltaEvent(`{"content":"a"}`, `"error"`):                       apperr.ProviderUpstream,
		`[]`:                                                           apperr.ProviderInvalidResponse,
		`{"choices":`:                                                  apperr.ProviderInvalidResponse,
		`{"choices":5}`:                                                apperr.ProviderInvalidResponse,
		`{"choices":[5]}`:                                              apperr.ProviderInvalidResponse,
		deltaEvent(`{"tool_calls":[`+strings.Repeat(`{"function":{}},`, 128)+`{}]}`, "null"): apperr.ProviderInvalidResponse,
		`{"choices":[` + strings.Repeat(`{"index":0},`, 128) + `{"index":0}]}`:               apperr.ProviderInvalidResponse,
		deltaEvent(`{`+numbered(1001)+`}`, "null"):                                           apperr.ProviderInvalidResponse,
		`{"error":{"message":"x","code":"content_filter"}}`:                                  apperr.ContentFiltered,
		deltaEvent(`{"tool_calls":5}`, `""`):                                                 apperr.ProviderInvalidResponse,
	} {
		s := newStream(false)
		out, err := s.AppendEvent([]byte("kept"), []byte(give))
		require.True(t, apperr.Is(err, want), "%s: %v", give, err)
		require.Equal(t, "kept", string(out))
		require.False(t, s.HasStarted(), give)
	}
}

// An upstream that numbers its only choice from 1 loses nothing. If choice 0 comes too, the
// other one was not requested.
func TestStreamWhoseOnlyChoiceIsNotTheFirst(t *testing.T) {
	at := func(index, event string) string { return strings.Replace(event, `"index":0`, `"index":`+index, 1) }
	a, b := deltaEvent(`{"role":"assistant","content":"a"}`, "null"), deltaEvent(`{"content":"b"}`, `"length"`)
	frameA, frameB := choiceFrame(`{"role":"assistant","content":"a"}`, "null"), choiceFrame(`{"content":"b"}`, `"length"`)
	for name, tc := range map[string]struct {
		give []string
		want string
	}{
		"numbered from 1":       {[]string{at("1", a), at("1", b)}, frameA + frameB + done},
		"two of them":           {[]string{at("2", a), at("1", b), at("2", b)}, frameA + frameB + done},
		"choice 0 follows":      {[]string{at("1", b), a, b}, frameA + frameB + done},
		"choice 0 before":       {[]string{a, at("1", a), b}, frameA + frameB + done},
		"without a finish":      {[]string{at("1", a)}, ""},
		"impossible":            {[]string{at("-1", a), at("4096", b)}, ""},
		"more than is stored":   {[]string{at("1", a), at("1", deltaEvent(`{"content":"`+strings.Repeat("x", 1<<20)+`"}`, `"stop"`))}, ""},
		"finish without a text": {[]string{at("1", a), at("1", stopEvent)}, frameA + choiceFrame(`{}`, `"stop"`) + done},
	} {
		t.Run(name, func(t *testing.T) {
			s := normalize.NewStream(normalize.StreamOptions{ID: "r1", Created: 7, Model: "m", Choices: 1})
			out := play(t, s, tc.give...)
			end, err := s.Finish(nil)
			require.Equal(t, tc.want == "", apperr.Is(err, apperr.ProviderInterrupted), "%v", err)
			if tc.want != "" {
				require.NoError(t, err)
				require.Equal(t, tc.want, out+string(end))
			}
		})
	}
}

// The content of a complete response reaches the client even if an error follows. The error is
// then the end, so there is no finish reason.
func TestStreamErrorAfterTheFinish(t *testing.T) {
	for _, fault := range []string{`{"error":{"message":"no","code":500}}`, `{`} {
		s := newStream(false)
		require.Empty(t, play(t, s, deltaEvent(`{"role":"assistant","content":"a"}`, `"stop"`)))
		require.True(t, s.HasStarted())
		out, err := s.AppendEvent([]byte("kept "), []byte(fault))
		require.Error(t, err)
		require.Equal(t, "kept "+choiceFrame(`{"role":"assistant","content":"a"}`, "null"), string(out))
		require.Equal(t, 1, s.OutputTextBytes())
	}
}

func TestStreamRepairsInvalidUTF8(t *testing.T) {
	got := play(t, newStream(false), deltaEvent("{\"role\":\"assistant\",\"content\":\"a\xff\",\"x\":\"\\ud83d\"}", "null"))
	require.Equal(t, choiceFrame(`{"role":"assistant","content":"a`+"\ufffd"+`","x":"\ud83d"}`, "null"), got)
}
