package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

// Every accepted request becomes a valid chat body, or the error names a parameter. The
// translation keeps limits, calls, results and all text of the user. Stripping the state
// leaves an equivalent request.
func FuzzToChat(f *testing.F) {
	for _, c := range golden.ReadCases(f, "testdata/requests") {
		f.Add([]byte(c.Input))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseGenerateContent(body, "m", true)
		if err != nil {
			return
		}
		tr, err := gemini.Protocol{}.ToChat(r)
		if err != nil {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
			require.NotEmpty(t, apperr.From(err).Details["param"])
			return
		}
		chat, err := requestbody.ParseChat(tr.Body)
		if err != nil && strings.Contains(err.Error(), "nested") {
			return // a schema at the limit of the depth is one level deeper in the chat format
		}
		require.NoError(t, err, "%s", tr.Body)
		require.Equal(t, r.MaxOutputTokens, chat.MaxOutputTokens)
		require.Equal(t, r.Choices, chat.Choices)
		requireSameCalls(t, body, tr.Body)
		require.Equal(t, nativeUserText(t, body), chatUserText(t, tr.Body))
		stripped, err := gemini.Protocol{}.StripState(r)
		require.NoError(t, err)
		require.False(t, stripped.HasGatewayState)
		for _, name := range []string{"images", "messages", "tools", "turns"} {
			require.Equal(t, r.Features.GetOrZero(name), stripped.Features.GetOrZero(name), name)
		}
	})
}

// nativeUserText returns all text of the user in a generateContent body.
func nativeUserText(t *testing.T, body []byte) (text string) {
	t.Helper()
	var request struct{ Contents any }
	require.NoError(t, json.Unmarshal(body, &request))
	for _, c := range asList(request.Contents) {
		if m := c.(map[string]any); m["role"] != "model" {
			for _, p := range asList(m["parts"]) {
				s, _ := p.(map[string]any)["text"].(string)
				text += s
			}
		}
	}
	return text
}

// asList returns a list, or a single value as its only element.
func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// chatUserText returns all text of the user in a chat body.
func chatUserText(t *testing.T, body []byte) (text string) {
	t.Helper()
	var chat struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	require.NoError(t, json.Unmarshal(body, &chat))
	for _, m := range chat.Messages {
		if m.Role != "user" {
			continue
		}
		for _, p := range asList(m.Content) {
			switch p := p.(type) {
			case string:
				text += p
			case map[string]any:
				s, _ := p["text"].(string)
				text += s
			}
		}
	}
	return text
}

// requireSameCalls compares the function calls and results of both bodies.
func requireSameCalls(t *testing.T, body, chatBody []byte) {
	t.Helper()
	var chat struct {
		Messages []struct {
			Role      string
			ToolCalls []struct{ ID string } `json:"tool_calls"`
			CallID    string                `json:"tool_call_id"`
		}
	}
	require.NoError(t, json.Unmarshal(chatBody, &chat))
	open := map[string]int{}
	for _, m := range chat.Messages {
		for _, c := range m.ToolCalls {
			require.NotEmpty(t, c.ID, "%s", body)
			open[c.ID]++
		}
		if m.Role == "tool" {
			require.Positive(t, open[m.CallID], "a result follows its call: %s", body)
			open[m.CallID]--
		}
	}
}

// Whatever an upstream sends, the client gets a stream that follows the grammar, and a
// complete response that is valid JSON.
func FuzzResponses(f *testing.F) {
	for _, dir := range []string{"testdata/streams", "testdata/responses"} {
		for _, c := range golden.ReadCases(f, dir) {
			f.Add([]byte(c.Input))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, array := range []bool{false, true} {
			checkStream(t, playUpstream(t, array, string(text)), array)
		}
		resp, err := normalize.Chat(text, normalize.Options{ID: "x", Model: "m"})
		if err != nil {
			return
		}
		out, err := translate(t, askThoughts).FromChat(resp.Body, shown)
		require.NoError(t, err)
		require.True(t, json.Valid(out), "%s", out)
		require.NotContains(t, string(out), "\n")
	})
}

// playUpstream sends the lines of text as events through package normalize.
func playUpstream(t *testing.T, array bool, text string) string {
	t.Helper()
	tr, err := gemini.Protocol{Array: array}.ToChat(parse(t, askThoughts, true))
	require.NoError(t, err)
	s, source := tr.NewStream(shown), normalize.NewStream(normalize.StreamOptions{ID: "x", Model: "m", IncludeUsage: true, Choices: 2})
	var out, frames []byte
	feed := func() {
		for frame := range strings.SplitSeq(string(frames), "\n\n") {
			if data, ok := strings.CutPrefix(frame, "data: "); ok && data != "[DONE]" && err == nil {
				out, err = s.AppendChunk(out, []byte(data))
			}
		}
	}
	for line := range strings.Lines(text) {
		if frames, err = source.AppendEvent(frames[:0], []byte(line)); err != nil {
			break
		}
		feed()
	}
	if err == nil {
		if frames, err = source.Finish(frames[:0]); err == nil {
			feed()
		}
	}
	if err != nil {
		return string(s.AppendError(out, apperr.From(err), apperr.Options{}))
	}
	return string(s.AppendEnd(out))
}

// A relay changes nothing but modelVersion, and line breaks of events.
func FuzzRelay(f *testing.F) {
	for _, c := range golden.ReadCases(f, "testdata/relays") {
		f.Add([]byte(c.Input))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := gemini.Protocol{}.NewRelay(shown)
		for line := range strings.Lines(string(text)) {
			payload := strings.TrimSpace(line)
			out, err := r.AppendEvent(nil, []byte(payload))
			if err != nil || payload == "" {
				require.Empty(t, out)
				continue
			}
			data := strings.TrimSuffix(strings.TrimPrefix(string(out), "data: "), "\n\n")
			require.NotContains(t, data, "\n")
			if !strings.Contains(payload, "modelVersion") && !strings.Contains(payload, `\`) && payload[0] == '{' {
				require.Equal(t, strings.ReplaceAll(payload, "\r", " "), data)
			}
			require.True(t, json.Valid([]byte(strings.ToValidUTF8(data, "?"))), data)
		}
		if v := r.ReportedValues(); v.Usage != nil {
			require.True(t, v.Usage.Input >= 0 && v.Usage.CacheRead >= 0 && v.Usage.Reasoning <= v.Usage.Output, "%+v", v.Usage)
		}
		if _, err := r.Finish(nil); err == nil {
			require.True(t, r.HasStarted())
		}
		_, _ = gemini.Protocol{}.RelayBody(text, shown)
	})
}
