package anthropic

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/jsonscan"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/pkg/testkit/golden"
	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

func addSeeds(f *testing.F, folder string, add func(text []byte)) {
	f.Helper()
	for _, c := range golden.ReadCases(f, filepath.Join("testdata", folder)) {
		add([]byte(c.Input))
	}
}

// wires describe models of every generation.
var wires = []*catalog.Wire{
	nil,
	{Reasoning: catalog.AdaptiveThinking, AllowsLaterSystem: true, Drop: []string{"temperature", "top_p", "top_k", "tools[].function.strict"}},
	{Reasoning: catalog.EffortAndBudget, Reject: []string{"response_format"}},
	{Reasoning: catalog.ThinkingBudget, Values: map[string]map[string]string{"reasoning_effort": {"none": "", "xhigh": "high"}}},
}

// The translated request is valid JSON, or an error is returned.
func FuzzRequest(f *testing.F) {
	addSeeds(f, "requests", func(text []byte) {
		body := []byte(jsonscan.Member(text, "body"))
		require.NotNil(f, body)
		for i := range wires {
			f.Add(body, uint8(i))
		}
	})
	f.Fuzz(func(t *testing.T, body []byte, wire uint8) {
		r, err := requestbody.ParseChat(body)
		if err != nil {
			return
		}
		out, err := translateRequest(provider.Call{Request: r, UpstreamModel: "claude", Wire: wires[int(wire)%len(wires)], MaxOutputTokens: 8000})
		if err != nil {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
			return
		}
		sent := bytes.Join(out.pieces, nil)
		require.True(t, jsontext.Value(sent).IsValid(), "%s", sent)
		previous := ""
		for turn := range jsonscan.Elements(jsonscan.Member(sent, "messages")) {
			role := stringValue(jsonscan.Member(turn, "role"))
			require.NotEqual(t, previous, role)
			require.False(t, jsonscan.IsNull(jsonscan.Member(turn, "content")))
			previous = role
		}
	})
}

// Whatever the upstream sends, the client gets readable chunks or an error.
func FuzzStream(f *testing.F) {
	addSeeds(f, "streams", func(text []byte) { f.Add(string(text)) })
	f.Fuzz(func(t *testing.T, text string) {
		s := streamTranslator{names: &toolNames{originals: map[string]string{"f": "a.b"}}}
		client := normalize.NewStream(normalize.StreamOptions{ID: "id", Model: "m"})
		calls := 0
		for line := range strings.Lines(text) {
			chunk, err := s.translateEvent(nil, []byte(line))
			if err != nil {
				require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
				return
			}
			if len(chunk) == 0 {
				continue
			}
			calls += bytes.Count(chunk, []byte(`"tool_calls"`))
			if _, err := client.AppendEvent(nil, bytes.Clone(chunk)); err != nil && calls < 100 {
				require.True(t, s.current.hasError || string(s.current.kind) == "error", "%s\n%s\n%v", line, chunk, err)
				return
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	addSeeds(f, "answers", func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := translateResponse(body, new(toolNames))
		if err != nil {
			require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
			return
		}
		_, err = normalize.Chat(out, normalize.Options{ID: "id", Model: "m"})
		if err != nil && jsonscan.IsNull(jsonscan.Member(body, "error")) && bytes.Count(body, []byte("tool_use")) < 100 {
			require.NoError(t, err, "%s", out)
		}
	})
}

// Text deltas are by far the most frequent events, so they must not allocate.
func TestTextDeltasDoNotAllocate(t *testing.T) {
	s := streamTranslator{names: new(toolNames)}
	event := []byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello \u00e9 there\n"}}`)
	_, err := s.translateEvent(nil, event)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.translateEvent(nil, event) }))
}
