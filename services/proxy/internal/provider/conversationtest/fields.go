package conversationtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unsaid are the fields that are not the vendor's to see, and, with values,
// those that then say as much as if they were missing.
var unsaid = map[string][]string{
	"model": nil, "stream": nil, "stream_options": nil, "encoding_format": nil,
	"frequency_penalty": {"0"}, "logprobs": {"false"}, "n": {"1"}, "presence_penalty": {"0"}, "reasoning_effort": {`"none"`},
	"response_format": {`{"type":"text"}`}, "service_tier": {`"auto"`, `"default"`}, "store": {"false"}, "temperature": {"1"},
	"tool_choice": {`"auto"`}, "top_p": {"1"},
}

func saysNothing(name string, v json.RawMessage) bool {
	same, ok := unsaid[name]
	text := strings.ReplaceAll(string(v), ": ", ":")
	return text == "null" || ok && (same == nil || slices.Contains(same, text))
}

// checkFields makes sure that nothing vanishes: what the vendor does not get is
// named or refused.
func (s Subject) checkFields(t *testing.T, x *exchange) {
	t.Helper()
	if len(x.sent) == 0 {
		return
	}
	sent := x.sent[len(x.sent)-1].body
	require.True(t, json.Valid([]byte(sent)), sent)
	for name, v := range members(string(x.request.Body)) {
		if saysNothing(name, v) {
			continue
		}
		found := slices.Contains(x.dropped, name) || slices.ContainsFunc(s.becomes(x, name), func(path string) bool { return reaches(sent, path) })
		require.True(t, found, "%s vanished; the vendor got %s", name, sent)
	}
	x.checkTexts(t, sent)
	if s.Becomes == nil {
		both := reaches(sent, "max_tokens") && reaches(sent, "max_completion_tokens")
		require.False(t, both, "two limits of tokens: %s", sent)
	}
}

func (s Subject) becomes(x *exchange, name string) []string {
	if s.Becomes != nil {
		return s.Becomes[name]
	}
	if w := s.place(x.embeds).Wire; w != nil && w.Rename[name] != "" {
		return []string{w.Rename[name]}
	}
	return []string{name}
}

// reaches tells whether there is something at a path.
func reaches(body, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		v := members(body)[name]
		if v == nil {
			return false
		}
		body = string(v)
	}
	return true
}

// checkTexts makes sure that all that was said arrives, if not at the same
// place.
func (x *exchange) checkTexts(t *testing.T, sent string) {
	t.Helper()
	var arrived any
	require.NoError(t, json.Unmarshal([]byte(sent), &arrived))
	var all strings.Builder
	texts(arrived, func(_, text string) { all.WriteString(text + "\n") })
	var asked struct {
		Messages any
		Tools    any
		Input    any
	}
	require.NoError(t, json.Unmarshal(x.request.Body, &asked))
	texts([]any{asked.Messages, asked.Tools, asked.Input}, func(name, text string) {
		switch name {
		case "content", "text", "description":
			text = strings.TrimSpace(text)
			require.True(t, json.Valid([]byte(text)) || strings.Contains(all.String(), text), "%q was lost: %s", text, sent)
		case "name":
			named := strings.Contains(all.String(), text) || slices.Contains(x.dropped, "messages[].name")
			require.True(t, named, "the name %q was lost: %s", text, sent)
		}
	})
}

// texts finds all texts, with the names of the members that they are in. What
// was thought is not said.
func texts(v any, found func(name, text string)) {
	var walk func(name string, v any)
	walk = func(name string, v any) {
		switch v := v.(type) {
		case string:
			found(name, v)
		case []any:
			for _, e := range v {
				walk(name, e)
			}
		case map[string]any:
			for name, m := range v {
				if name != "reasoning_details" {
					walk(name, m)
				}
			}
		}
	}
	walk("", v)
}
