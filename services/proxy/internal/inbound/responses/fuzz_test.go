package responses_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound/responses"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

func addFiles(f *testing.F, pattern string) {
	files, err := filepath.Glob(pattern)
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
}

// FuzzToChat checks that every request that the parser accepts becomes a valid chat, unless
// the parser has found that only upstreams of the protocol can serve it.
func FuzzToChat(f *testing.F) {
	addFiles(f, "testdata/requests/*.json")
	f.Add([]byte(`{"model":"m","input":[{"role":"user","content":[]},{"type":"reasoning","encrypted_content":"sbx1.W10"}],"tools":[{"type":"custom","name":"x","format":{"definition":"\ud83d\ude00"}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := requestbody.ParseResponses(body)
		if err != nil {
			return
		}
		if stripped, err := (responses.Protocol{}).StripState(r); err == nil {
			require.False(t, stripped.HasGatewayState)
		}
		translation, err := responses.Protocol{}.ToChat(r)
		if err != nil {
			if len(r.NativeOnly) == 0 {
				require.NotEmpty(t, apperr.From(err).Details["param"])
				require.Contains(t, []apperr.Code{apperr.InvalidRequest, apperr.UnsupportedParameter}, apperr.CodeOf(err))
			}
			return
		}
		require.Empty(t, r.NativeOnly, "ToChat accepts what the parser excludes")
		chat, err := requestbody.ParseChat(translation.Body)
		if err != nil {
			require.ErrorContains(t, err, "nested deeper", "%s", translation.Body)
			return
		}
		require.Equal(t, r.Model, chat.Model)
		require.Equal(t, r.Stream, chat.Stream)
		require.Equal(t, r.Stream, chat.IncludeUsage)
		require.Equal(t, r.MaxOutputTokens, chat.MaxOutputTokens)
		require.Equal(t, r.Features.GetOrZero("turns"), chat.Features.GetOrZero("turns"))
		require.GreaterOrEqual(t, r.Features.GetOrZero("images"), chat.Features.GetOrZero("images"))
		st := translation.NewStream(options)
		checkGrammar(t, string(st.AppendEnd(nil)))
	})
}

// FuzzStream checks that whatever package normalize writes becomes a stream that obeys the
// grammar, and a response with the same state.
func FuzzStream(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.json")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		var c conversation
		require.NoError(f, json.Unmarshal(text, &c))
		var lines []string
		for _, chunk := range c.Chunks {
			lines = append(lines, string(chunk))
		}
		f.Add(strings.Join(lines, "\n"), true)
	}
	f.Fuzz(func(t *testing.T, chunks string, ends bool) {
		translation := toChat(t, `{"model":"m","input":"x","tools":[{"type":"custom","name":"apply_patch"},{"type":"namespace","name":"agents","tools":[{"type":"function","name":"spawn"}]}]}`)
		upstream := normalize.NewStream(normalize.StreamOptions{ID: "chat", Model: "m", IncludeUsage: true, Choices: 1})
		out := translation.NewStream(options)
		var dst []byte
		for chunk := range strings.SplitSeq(chunks, "\n") {
			frames, err := upstream.AppendEvent(nil, []byte(chunk))
			if err != nil {
				ends = false
				break
			}
			for frame := range strings.SplitSeq(string(frames), "\n\n") {
				if frame == "" {
					continue
				}
				dst, err = out.AppendChunk(dst, []byte(strings.TrimPrefix(frame, "data: ")))
				require.NoError(t, err, frame)
			}
		}
		if ends {
			dst = out.AppendEnd(dst)
		} else {
			dst = out.AppendError(dst, apperr.New(apperr.ProviderInterrupted, "x"), apperr.Options{})
		}
		if final := checkGrammar(t, string(dst)); ends {
			requireAccepted(t, final.Output)
		}
	})
}

// requireAccepted fails if a client cannot send the output back in the next turn.
func requireAccepted(t *testing.T, output []json.RawMessage) {
	t.Helper()
	input, err := json.Marshal(append([]json.RawMessage{json.RawMessage(`{"role":"user","content":"x"}`)}, output...))
	require.NoError(t, err)
	r, err := requestbody.ParseResponses([]byte(`{"model":"m","input":` + string(input) + `}`))
	if err != nil {
		require.Contains(t, apperr.From(err).Details["param"], ".name", "only a call without a name: %v", err)
		return
	}
	require.Empty(t, r.NativeOnly)
	translation, err := responses.Protocol{}.ToChat(r)
	require.NoError(t, err)
	_, err = requestbody.ParseChat(translation.Body)
	require.NoError(t, err)
}

func FuzzFromChat(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"x","reasoning_content":"r","reasoning_details":[{"type":"reasoning.text"}],"tool_calls":[{"id":"c","function":{"name":"apply_patch","arguments":"{\"input\":\"\\ud83d\"}"}}]},"finish_reason":"length"}],"usage":{"prompt_tokens":1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		chat, err := normalize.Chat(body, normalize.Options{ID: "chat", Model: "m", Choices: 1})
		if err != nil {
			return
		}
		translation := toChat(t, `{"model":"m","input":"x","tools":[{"type":"custom","name":"apply_patch"}]}`)
		got, err := translation.FromChat(chat.Body, options)
		require.NoError(t, err)
		require.True(t, json.Valid(got), "%s", got)
		relayed, err := responses.Protocol{}.RelayBody(got, options)
		require.NoError(t, err)
		require.Equal(t, string(got), string(relayed.Body))
	})
}

func FuzzRelay(f *testing.F) {
	f.Add(created + "\n" + added + "\n" + delta + "\n" + completed)
	f.Add(created + "\n" + failed)
	f.Fuzz(func(t *testing.T, events string) {
		r := responses.Protocol{}.NewRelay(options)
		for payload := range strings.SplitSeq(events, "\n") {
			before := []byte("x")
			dst, err := r.AppendEvent(before, []byte(payload))
			require.True(t, strings.HasPrefix(string(dst), "x"))
			if err != nil {
				require.Equal(t, "x", string(dst))
				require.NotEqual(t, apperr.Internal, apperr.CodeOf(err))
				break
			}
			require.LessOrEqual(t, strings.Count(string(dst), "\n\n"), 1, "one frame")
		}
		_, _ = r.Finish(nil)
		r.AppendError(nil, apperr.New(apperr.Internal, "x"), apperr.Options{})
		r.ReportedValues()
	})
}
