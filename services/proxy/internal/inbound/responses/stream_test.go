package responses_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/proxy/internal/inbound"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

var options = inbound.Options{ID: "01ABC", Created: 1760000000, Model: "claude-x"}

// conversation is a request and the chunks with which an upstream answers it.
type conversation struct {
	Request json.RawMessage   `json:"request"`
	Chunks  []json.RawMessage `json:"chunks"`
}

// streamed returns the events that the client gets. The chunks take the way of a real
// response: package normalize reads them first.
func (c *conversation) streamed(t *testing.T, r inbound.Responder) string {
	t.Helper()
	st := normalize.NewStream(normalize.StreamOptions{ID: "chat", Created: 1, Model: "m", IncludeUsage: true, Choices: 1})
	var frames []byte
	var err error
	for _, chunk := range c.Chunks {
		frames, err = st.AppendEvent(frames, chunk)
		require.NoError(t, err)
	}
	frames, err = st.Finish(frames)
	require.NoError(t, err)
	out := r.NewStream(options)
	var dst []byte
	for frame := range strings.SplitSeq(strings.TrimSuffix(string(frames), "data: [DONE]\n\n"), "\n\n") {
		if frame != "" {
			dst, err = out.AppendChunk(dst, []byte(strings.TrimPrefix(frame, "data: ")))
			require.NoError(t, err)
		}
	}
	return string(out.AppendEnd(dst))
}

// complete returns the response that the client gets without streaming.
func (c *conversation) complete(t *testing.T, r inbound.Responder) []byte {
	t.Helper()
	collector := normalize.NewCollector(normalize.Options{ID: "chat", Created: 1, Model: "m", Choices: 1})
	for _, chunk := range c.Chunks {
		require.NoError(t, collector.AddEvent(chunk))
	}
	resp, err := collector.Response()
	require.NoError(t, err)
	body, err := r.FromChat(resp.Body, options)
	require.NoError(t, err)
	return body
}

func TestResponsesAndStreams(t *testing.T) {
	files, err := filepath.Glob("testdata/streams/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var c conversation
			require.NoError(t, json.Unmarshal(text, &c))
			translation := toChat(t, string(c.Request))
			events := c.streamed(t, translation)
			final := checkGrammar(t, events)
			golden(t, strings.TrimSuffix(file, ".json")+".events", []byte(events))
			body := c.complete(t, translation)
			golden(t, strings.TrimSuffix(file, ".json")+".response", indented(t, json.RawMessage(body)))
			var plain response
			require.NoError(t, json.Unmarshal(body, &plain))
			require.Equal(t, final.Status, plain.Status)
			require.JSONEq(t, string(final.Usage), string(plain.Usage))
			require.Equal(t, "resp_01ABC", plain.ID)
			require.Equal(t, "claude-x", plain.Model)
		})
	}
}

func TestUsageIsExact(t *testing.T) {
	translation := toChat(t, `{"model":"m","input":"x"}`)
	body, err := translation.FromChat([]byte(`{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20,
		"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":5}}}`), options)
	require.NoError(t, err)
	var got response
	require.NoError(t, json.Unmarshal(body, &got))
	require.JSONEq(t, `{"input_tokens":100,"input_tokens_details":{"cached_tokens":60,"cache_write_tokens":10},"output_tokens":20,
		"output_tokens_details":{"reasoning_tokens":5},"total_tokens":120}`, string(got.Usage))
}

func TestErrorsInStreams(t *testing.T) {
	translation := toChat(t, `{"model":"m","input":"x","stream":true}`)
	failure := apperr.New(apperr.ProviderRateLimited, "slow down").With("param", "x")
	o := apperr.Options{RequestID: "req1"}

	st := translation.NewStream(options)
	before := string(st.AppendError(nil, failure, o))
	checkGrammar(t, before)
	require.Contains(t, before, "event: error\n")
	require.Contains(t, before, `"message":"slow down"`)
	require.Contains(t, before, `"code":"PROVIDER_RATE_LIMITED"`)

	st = translation.NewStream(options)
	events, err := st.AppendChunk(nil, []byte(`{"choices":[{"delta":{"content":"par"},"finish_reason":null}]}`))
	require.NoError(t, err)
	text := string(st.AppendError(events, failure, o))
	final := checkGrammar(t, text)
	require.Equal(t, "failed", final.Status)
	require.Equal(t, "rate_limit_exceeded", final.Error.Code, "OpenAI's own code, because clients compare it")
	require.Equal(t, "slow down", final.Error.Message)
	last := parseEvents(t, text)[len(parseEvents(t, text))-1]
	require.Equal(t, "PROVIDER_RATE_LIMITED", last.Code)
	require.Contains(t, text, `"details":{`)
	require.Contains(t, text, `"request_id":"req1"`)
	require.NotContains(t, text, "[DONE]")

	_, err = st.AppendChunk(nil, []byte(`{"choices":`))
	require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
}
