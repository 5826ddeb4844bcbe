package normalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzStreamPattern sends events that differ only in their text to two streams.
// One of them parses every event.
func FuzzStreamPattern(f *testing.F) {
	const before = `{"choices":[{"index":0,"delta":{"content":`
	for _, after := range []string{
		`},"finish_reason":null}]}`, `},"finish_reason":""}]}`, `},"finish_reason":"stop"}]}`, `}}],"usage":{"prompt_tokens":1}}`,
		`,"role":"assistant","reasoning":"r\n"},"finish_reason":""}],"z":1}`, `,"tool_calls":[{"index":0,"function":{"name":"f"}}]}}]}`,
	} {
		f.Add(before, after, `"a"`, `"b\n"`, true)
	}
	for _, text := range []string{`5`, `[]`, `["x"]`, `[{"text":"x"}]`, `"b\"`, `"b","refusal":"c"`, `"\ud800"`, "\"\xff\"", "\"\x01\"", "\"\n\"", `b`} {
		f.Add(before, `}}]}`, `"a"`, text, false)
	}
	f.Add(`{"choices":[{"delta":{"x":"`, `"}}]}`, `","content":"`, `\`, true)
	f.Fuzz(func(t *testing.T, before, after, a, b string, includeUsage bool) {
		fast, slow := newStream(includeUsage), newStream(includeUsage)
		for _, text := range []string{a, b, a, `"c d"`, "other", b, a, `""`, `null`, a, `"e\t\"f\""`} {
			event := []byte(before + text + after)
			if text == "other" {
				event = []byte(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"g"}}]}}],"usage":{"prompt_tokens":7}}`)
			}
			got, err := fast.AppendEvent([]byte("kept "), event)
			slow.Forget()
			want, again := slow.AppendEvent([]byte("kept "), event)
			require.Equal(t, string(want), string(got), "%s", event)
			require.Equal(t, again, err)
			require.Equal(t, slow.HasStarted(), fast.HasStarted())
			require.Equal(t, slow.OutputTextBytes(), fast.OutputTextBytes())
			require.Equal(t, slow.Usage(), fast.Usage())
		}
		got, err := fast.Finish(nil)
		want, again := slow.Finish(nil)
		require.Equal(t, string(want), string(got))
		require.Equal(t, again, err)
	})
}
