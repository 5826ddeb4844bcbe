package normalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

func TestReasoningHasOneName(t *testing.T) {
	for give, want := range map[string]string{
		`"reasoning":"why","content":"x"`:                          `"content":"x","refusal":null,"reasoning_content":"why"`,
		`"reasoning":"why","reasoning_content":"so","content":"x"`: `"content":"x","refusal":null,"reasoning_content":"so"`,
		`"reasoning":"why","reasoning_content":null,"content":"x"`: `"content":"x","refusal":null,"reasoning_content":"why"`,
		`"reasoning_content":"","reasoning":"why","content":"x"`:   `"content":"x","refusal":null,"reasoning_content":"why"`,
		`"reasoning":null,"reasoning_content":"so","content":"x"`:  `"content":"x","refusal":null,"reasoning_content":"so"`,
		`"reasoning":{"a":1},"content":"x"`:                        `"content":"x","refusal":null,"reasoning":{"a":1}`,
		`"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"type":"text","text":"x"}]`: `"content":"x","refusal":null,"reasoning_content":"ab"`,
	} {
		a, err := normalize.Chat([]byte(`{"choices":[{"message":{`+give+`}}]}`), normalize.Options{})
		require.NoError(t, err)
		require.Contains(t, string(a.Body), `{"role":"assistant",`+want+`}`)
	}
	frames, err := newStream(false).AppendEvent(nil, []byte(`{"choices":[{"delta":{"reasoning":"why"}}]}`))
	require.NoError(t, err)
	require.Contains(t, string(frames), `"reasoning_content":"why"`)
	require.NotContains(t, string(frames), `"reasoning":`)
}
