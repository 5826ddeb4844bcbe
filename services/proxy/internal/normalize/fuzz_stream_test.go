package normalize_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/sse"
)

// chunkSeen is what clients read of a chunk or a response.
type chunkSeen struct {
	ID      string         `json:"id"`
	Object  string         `json:"object"`
	Model   string         `json:"model"`
	Created *int64         `json:"created"`
	Choices []choiceSeen   `json:"choices"`
	Usage   jsontext.Value `json:"usage"`
}

type choiceSeen struct {
	Index        *int         `json:"index"`
	Delta        *messageSeen `json:"delta"`
	Message      *messageSeen `json:"message"`
	FinishReason *string      `json:"finish_reason"`
}

type messageSeen struct {
	Role      *string     `json:"role"`
	Content   *string     `json:"content"`
	Refusal   *string     `json:"refusal"`
	ToolCalls *[]callSeen `json:"tool_calls"`
}

type callSeen struct {
	Index    *int          `json:"index"`
	ID       *string       `json:"id"`
	Type     *string       `json:"type"`
	Function *functionSeen `json:"function"`
}

type functionSeen struct {
	Name      *string `json:"name"`
	Arguments *string `json:"arguments"`
}

// see decodes as strictly as a client does. Clients accept lone surrogates from
// split pairs, and use the last of several members with the same name.
func see(t *testing.T, data []byte) *chunkSeen {
	t.Helper()
	var c chunkSeen
	require.NoError(t, json.Unmarshal(data, &c, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)), "%s", data)
	return &c
}

var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call"}

func checkHead(t *testing.T, c *chunkSeen, object string) {
	t.Helper()
	require.Equal(t, "r1", c.ID)
	require.Equal(t, object, c.Object)
	require.Equal(t, "m", c.Model)
	require.EqualValues(t, 7, *c.Created)
	require.NotNil(t, c.Choices)
}

// checkResponse checks what every client requires of a complete response.
func checkResponse(t *testing.T, body []byte) {
	t.Helper()
	c := see(t, body)
	checkHead(t, c, "chat.completion")
	require.NotEmpty(t, c.Choices)
	for _, ch := range c.Choices {
		require.NotNil(t, ch.Index)
		require.Equal(t, "assistant", *ch.Message.Role)
		require.Contains(t, finishReasons, *ch.FinishReason)
		if ch.Message.ToolCalls == nil {
			continue
		}
		require.NotEmpty(t, *ch.Message.ToolCalls)
		for _, k := range *ch.Message.ToolCalls {
			require.NotEmpty(t, *k.ID)
			require.True(t, len(*k.ID) <= 40 || !strings.HasPrefix(*k.ID, "call_r1"), *k.ID)
			require.NotEmpty(t, *k.Type)
			require.True(t, k.Function == nil || *k.Function.Arguments != "")
		}
	}
	for _, name := range []string{"prompt_tokens", "completion_tokens", "total_tokens"} {
		require.Contains(t, members(t, []byte(c.Usage)), name)
	}
}

// client is a client that relies on every detail of the contract.
type client struct {
	t     *testing.T
	usage bool
	// begun and calls are indexed by choice.
	begun map[int]bool
	calls map[int]int
	// finished are the choices with a finish reason.
	finished map[int]bool
	ended    bool
}

// frame checks one event of a stream.
func (c *client) frame(data []byte) {
	require.False(c.t, c.ended, "nothing comes after [DONE]")
	require.NotContains(c.t, string(data), "\n")
	require.NotContains(c.t, string(data), "\r")
	if string(data) == "[DONE]" {
		c.ended = true
		return
	}
	got := see(c.t, data)
	checkHead(c.t, got, "chat.completion.chunk")
	_, shown := members(c.t, data)["usage"]
	require.Equal(c.t, c.usage, shown, "%s", data)
	require.True(c.t, len(got.Choices) > 0 || len(got.Usage) > 0 && got.Usage[0] == '{', "only the usage frame has no choices: %s", data)
	for _, ch := range got.Choices {
		require.NotNil(c.t, ch.Delta)
		require.Equal(c.t, c.begun[*ch.Index], ch.Delta.Role == nil, "the role comes first and once: %s", data)
		c.begun[*ch.Index] = true
		require.True(c.t, ch.FinishReason == nil || slices.Contains(finishReasons, *ch.FinishReason))
		require.False(c.t, c.finished[*ch.Index] && ch.FinishReason != nil, "a choice has one finish reason: %s", data)
		c.finished[*ch.Index] = c.finished[*ch.Index] || ch.FinishReason != nil
		if ch.Delta.ToolCalls != nil {
			c.toolCalls(*ch.Index, data, ch.Delta)
		}
	}
}

func (c *client) toolCalls(choice int, data []byte, m *messageSeen) {
	require.NotEmpty(c.t, *m.ToolCalls)
	for _, k := range *m.ToolCalls {
		require.LessOrEqual(c.t, *k.Index, c.calls[choice], "no gaps: %s", data)
		fresh := *k.Index == c.calls[choice]
		require.Equal(c.t, fresh, k.ID != nil && *k.ID != "", "%s", data)
		require.Equal(c.t, fresh, k.Type != nil && *k.Type != "", "%s", data)
		require.True(c.t, k.Function == nil || k.Function.Arguments != nil, "%s", data)
		if fresh {
			c.calls[choice]++
		}
	}
}

// FuzzStream sends arbitrary bytes of an upstream to a client.
func FuzzStream(f *testing.F) {
	call := func(s string) string { return deltaEvent(`{"tool_calls":[`+s+`]}`, "null") }
	for _, events := range [][]string{
		{deltaEvent(`{"role":"assistant","content":"a","x":[1]}`, "null"), stopEvent},
		{deltaEvent(`{"content":null,"role":null,"tool_calls":null}`, `""`), deltaEvent("{\"content\":\"\xff\\ud800\"}", `"null"`), stopEvent, `{"choices":[],"usage":{"prompt_tokens":1,"y":2}}`},
		{call(`{"index":3,"function":{"arguments":{}}},{"id":"c"}`), call(`{"function":{"name":"f"}}`), call(`{"index":3,"id":"d","function":{"name":"g","arguments":"{}"}}`), stopEvent},
		{call(`{"function":{"name":"f","arguments":"{}"}}`), call(`{"function":{"name":"f","arguments":"{}"}}`), call(`{}`), stopEvent},
		{`{"choices":[{"index":1,"delta":{"content":"a"}},{"delta":{"function_call":{"name":"f"}}}]}`, `{"choices":[{"index":1,"finish_reason":"eos"},{"finish_reason":"x"}]}`},
		{`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`}, {`{"error":{"code":429}}`}, {`{"detail":"x"}`},
		{"{\n\"choices\":[],\"v\":\"\xff\"}", deltaEvent(`{"content":"a"}`, "null"), deltaEvent(`{"content":"b"}`, "null"), deltaEvent(`{"content":"c"}`, "null")},
	} {
		f.Add([]byte("data: "+strings.Join(append(events, "[DONE]"), "\n\ndata: ")+"\n\n"), true)
		f.Add([]byte(strings.Join(events, "\r\rdata:")), false)
	}
	f.Fuzz(func(t *testing.T, stream []byte, includeUsage bool) {
		c := &client{t: t, usage: includeUsage, begun: map[int]bool{}, calls: map[int]int{}, finished: map[int]bool{}}
		out, err := normalizeStream(stream, newStream(includeUsage))
		c.frames(out)
		require.Equal(t, err == nil, c.ended, "either [DONE] or an error")
		if err != nil {
			require.NotEqual(t, apperr.Internal, apperr.CodeOf(err), "%v", err)
		}
		plain, again := normalize.Collect(sse.NewReader(io.NopCloser(bytes.NewReader(stream))), responseOptions)
		if again == nil {
			require.NoError(t, err)
			checkResponse(t, plain.Body)
		}
	})
}

// normalizeStream returns everything that a client receives, and the final error.
func normalizeStream(stream []byte, s *normalize.Stream) (out []byte, err error) {
	events := sse.NewReader(io.NopCloser(bytes.NewReader(stream)))
	for {
		payload, err := events.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, sse.ErrNoDone) {
			return s.Finish(out)
		}
		if err != nil {
			return out, err
		}
		if out, err = s.AppendEvent(out, payload); err != nil {
			return out, err
		}
	}
}

// FuzzToolCalls makes fragments of tool calls from pairs of bytes, so that every
// combination of present and missing members occurs.
func FuzzToolCalls(f *testing.F) {
	f.Add([]byte{0x11, 0x11, 0x01, 0x03, 0x22, 0x11})
	f.Add([]byte{0x10, 0x20, 0x10, 0x20, 0x00, 0x33})
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := newStream(false)
		c := &client{t: t, begun: map[int]bool{}, calls: map[int]int{}, finished: map[int]bool{}}
		for pair := range slices.Chunk(choices[:len(choices)/2*2], 2) {
			out, err := s.AppendEvent(nil, []byte(deltaEvent(`{"tool_calls":[`+callFragment(pair[0], pair[1])+`]}`, "null")))
			if err != nil {
				require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
				return
			}
			c.frames(out)
		}
		out, err := s.AppendEvent(nil, []byte(stopEvent))
		require.NoError(t, err)
		if out, err = s.Finish(out); err != nil {
			require.True(t, apperr.Is(err, apperr.ProviderInvalidResponse), "%v", err)
			return
		}
		c.frames(out)
	})
}

// frames checks complete events.
func (c *client) frames(out []byte) {
	for len(out) > 0 {
		frame, rest, ok := bytes.Cut(out, []byte("\n\n"))
		require.True(c.t, ok, "%q", out)
		data, ok := bytes.CutPrefix(frame, []byte("data: "))
		require.True(c.t, ok, "%q", frame)
		c.frame(data)
		out = rest
	}
}

// callFragment returns one of several hundred variants.
func callFragment(a, b byte) string {
	pick := func(n byte, options ...string) string { return options[int(n)%len(options)] }
	outer := pick(a, "", `"index":0,`, `"index":1,`, `"index":5,`, `"index":null,`) +
		pick(a/5, "", `"id":"c1",`, `"id":"c2",`, `"id":"",`, `"id":null,`) + pick(a/25, "", `"type":"function",`, `"type":null,`)
	inner := pick(b, "", `"name":"f",`, `"name":"g",`, `"name":"",`) +
		pick(b/4, `"arguments":""`, `"arguments":"{}"`, `"arguments":"{"`, `"arguments":{"a":1}`, `"arguments":null`)
	if b/20%4 == 3 {
		return "{" + strings.TrimSuffix(outer, ",") + "}"
	}
	return "{" + outer + `"function":{` + inner + "}}"
}
