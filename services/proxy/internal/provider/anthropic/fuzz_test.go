package anthropic

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
	"github.com/signalbox/signalbox/services/proxy/internal/openai"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

func seeds(f *testing.F, pattern string, add func(text []byte)) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		add(text)
	}
}

// wires are models of every generation.
var wires = []*catalog.Wire{
	nil,
	{Reasoning: catalog.Adaptive, SystemInside: true, Drop: []string{"temperature", "top_p", "top_k", "tools[].function.strict"}},
	{Reasoning: catalog.EffortBudget, Refuse: []string{"response_format"}},
	{Reasoning: catalog.Budget, Values: map[string]map[string]string{"reasoning_effort": {"none": "", "xhigh": "high"}}},
}

// What goes out is JSON, or nothing does.
func FuzzRequest(f *testing.F) {
	seeds(f, "requests/*.json", func(text []byte) {
		body := member(text, "body")
		require.NotNil(f, body)
		for i := range wires {
			f.Add(body, uint8(i))
		}
	})
	f.Fuzz(func(t *testing.T, body []byte, wire uint8) {
		r, err := openai.ParseChat(body)
		if err != nil {
			return
		}
		out, err := translate(provider.Call{Request: r, Upstream: "claude", Wire: wires[int(wire)%len(wires)], MaxOutput: 8000})
		if err != nil {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
			return
		}
		sent := bytes.Join(out.pieces, nil)
		require.True(t, jsontext.Value(sent).IsValid(), "%s", sent)
		previous := ""
		for turn := range jsonscan.Elements(member(sent, "messages")) {
			role := word(member(turn, "role"))
			require.NotEqual(t, previous, role)
			require.NotEmpty(t, member(turn, "content"))
			previous = role
		}
	})
}

// Whatever an upstream says, the client gets chunks that it can read, or an
// error.
func FuzzStream(f *testing.F) {
	seeds(f, "streams/*.txt", func(text []byte) { f.Add(string(text)) })
	f.Fuzz(func(t *testing.T, text string) {
		s := stream{names: &names{own: map[string]string{"f": "a.b"}}}
		client := openai.NewStream(openai.StreamOptions{ID: "id", Model: "m"})
		calls := 0
		for line := range strings.Lines(text) {
			chunk, err := s.event(nil, []byte(line))
			if err != nil {
				require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
				return
			}
			if len(chunk) == 0 {
				continue
			}
			calls += bytes.Count(chunk, []byte(`"tool_calls"`))
			if _, err := client.Event(nil, bytes.Clone(chunk)); err != nil && calls < 100 {
				require.True(t, s.ev.failed || string(s.ev.kind) == "error", "%s\n%s\n%v", line, chunk, err)
				return
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	seeds(f, "answers/*.json", func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := translateAnswer(body, new(names))
		if err != nil {
			require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
			return
		}
		_, err = openai.ChatAnswer(out, openai.AnswerOptions{ID: "id", Model: "m"})
		if err != nil && len(member(body, "error")) == 0 && bytes.Count(body, []byte("tool_use")) < 100 {
			require.NoError(t, err, "%s", out)
		}
	})
}

// Most events are text, and there are many.
func TestTextCostsNothingButItself(t *testing.T) {
	s := stream{names: new(names)}
	event := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello \u00e9 there\n"}}`)
	_, err := s.event(nil, event)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.event(nil, event) }))
}
