package openairesponses

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

var wires = []*catalog.Wire{
	nil,
	{Drop: []string{"temperature", "top_p", "reasoning.summary", "tools[].function.strict"}, Reject: []string{"stop"}},
	{Reject: []string{"reasoning_effort"}, Limits: map[string]catalog.Limit{"temperature": {Max: "1"}}},
	{Values: map[string]map[string]string{"reasoning_effort": {"none": "", "xhigh": "high"}}, Roles: map[string]string{"developer": "system"}},
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
		out, err := translateRequest(provider.Call{Request: r, UpstreamModel: "pro", Wire: wires[int(wire)%len(wires)]})
		if err != nil {
			require.Equal(t, apperr.UnsupportedParameter, apperr.CodeOf(err))
			return
		}
		sent := bytes.Join(out.pieces, nil)
		require.True(t, jsontext.Value(sent).IsValid(), "%s", sent)
		require.Equal(t, "false", string(jsonscan.Member(sent, "store")))
	})
}

// Whatever the upstream sends, the client gets readable chunks or an error.
func FuzzStream(f *testing.F) {
	addSeeds(f, "streams", func(text []byte) { f.Add(string(text)) })
	f.Fuzz(func(t *testing.T, text string) {
		var s streamTranslator
		client := normalize.NewStream(normalize.StreamOptions{ID: "id", Model: "m"})
		for line := range strings.Lines(text) {
			chunk, err := s.translateEvent(nil, []byte(line))
			if err != nil {
				require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
				return
			}
			if len(chunk) == 0 {
				continue
			}
			require.True(t, jsonscan.Valid(chunk), "%s\n%s", line, chunk)
			if _, err := client.AppendEvent(nil, bytes.Clone(chunk)); err != nil && s.callCount < 100 {
				require.True(t, bytes.HasPrefix(chunk, []byte(`{"error"`)), "%s\n%s\n%v", line, chunk, err)
				return
			}
		}
	})
}

func FuzzResponse(f *testing.F) {
	addSeeds(f, "responses", func(text []byte) { f.Add(text) })
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := translateResponse(body)
		if err != nil {
			require.Equal(t, apperr.ProviderInvalidResponse, apperr.CodeOf(err))
			return
		}
		_, err = normalize.Chat(out, normalize.Options{ID: "id", Model: "m"})
		if err != nil && !bytes.HasPrefix(out, []byte(`{"error"`)) && bytes.Count(body, []byte("call")) < 100 {
			require.NoError(t, err, "%s", out)
		}
	})
}

// Text deltas are by far the most frequent events, so they must not allocate.
func TestTextDeltasDoNotAllocate(t *testing.T) {
	var s streamTranslator
	event := []byte(`{"type":"response.output_text.delta","sequence_number":7,"item_id":"msg_1","output_index":1,"content_index":0,"delta":"Hello \u00e9 there\n","logprobs":[]}`)
	_, err := s.translateEvent(nil, event)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = s.translateEvent(nil, event) }))
}
