package conversationtest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// neutralFields maps fields to the values that have the same effect as omitting the field.
// The vendor need not receive such a field. A nil list means that the vendor need not
// receive any value.
var neutralFields = map[string][]string{
	"model": nil, "stream": nil, "stream_options": nil, "encoding_format": nil,
	"frequency_penalty": {"0"}, "logprobs": {"false"}, "n": {"1"}, "presence_penalty": {"0"}, "reasoning_effort": {`"none"`},
	"response_format": {`{"type":"text"}`}, "service_tier": {`"auto"`, `"default"`}, "store": {"false"}, "temperature": {"1"},
	"tool_choice": {`"auto"`}, "top_p": {"1"},
}

func isNeutral(name string, v json.RawMessage) bool {
	same, ok := neutralFields[name]
	text := strings.ReplaceAll(string(v), ": ", ":")
	return text == "null" || ok && (same == nil || slices.Contains(same, text))
}

// checkFields checks that every field reaches the vendor or is reported as dropped.
func (s Subject) checkFields(t *testing.T, x *exchange) {
	t.Helper()
	if len(x.sent) == 0 {
		return
	}
	sent := x.sent[len(x.sent)-1].body
	require.True(t, json.Valid([]byte(sent)), sent)
	for name, v := range members(string(x.request.Body)) {
		if isNeutral(name, v) {
			continue
		}
		found := slices.Contains(x.dropped, name) || slices.ContainsFunc(s.vendorPaths(x, name), func(path string) bool { return hasPath(sent, path) })
		require.True(t, found, "%s vanished; the vendor got %s", name, sent)
	}
	x.checkTexts(t, sent)
	if s.VendorPaths == nil {
		both := hasPath(sent, "max_tokens") && hasPath(sent, "max_completion_tokens")
		require.False(t, both, "both token limits are sent: %s", sent)
	}
}

func (s Subject) vendorPaths(x *exchange, name string) []string {
	if s.VendorPaths != nil {
		return s.VendorPaths[name]
	}
	if w := s.endpoint(x.isEmbedding).Wire; w != nil && w.Rename[name] != "" {
		return []string{w.Rename[name]}
	}
	return []string{name}
}

func hasPath(body, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		v := members(body)[name]
		if v == nil {
			return false
		}
		body = string(v)
	}
	return true
}

// checkTexts checks that the texts and names of the request are somewhere in the vendor's
// request. It accepts changed texts that are JSON, and names that are reported as dropped.
func (x *exchange) checkTexts(t *testing.T, sent string) {
	t.Helper()
	var arrived any
	require.NoError(t, json.Unmarshal([]byte(sent), &arrived))
	var all strings.Builder
	eachText(arrived, func(_, text string) { all.WriteString(text + "\n") })
	var asked struct {
		Messages any
		Tools    any
		Input    any
	}
	require.NoError(t, json.Unmarshal(x.request.Body, &asked))
	eachText([]any{asked.Messages, asked.Tools, asked.Input}, func(name, text string) {
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

// eachText calls found for every string in v, with the name of the member that contains the
// string. It skips reasoning_details.
func eachText(v any, found func(name, text string)) {
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
