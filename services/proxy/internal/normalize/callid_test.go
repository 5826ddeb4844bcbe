package normalize_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/normalize"
)

var madeCallID = regexp.MustCompile(`"id":"(call_[^"]*)"`)

// Ids that we make have at most 40 characters, because OpenAI and Azure refuse longer ones in
// the next turn. They differ in one response and in responses that start at the same time.
func TestMadeCallIDsAreShortAndUnique(t *testing.T) {
	calls := strings.TrimSuffix(strings.Repeat(`{"function":{"name":"f","arguments":"{}"}},`, 128), ",")
	choices := `{"index":0,"message":{"tool_calls":[` + calls + `]},"finish_reason":"stop"},{"index":127,"message":{"tool_calls":[` + calls + `]},"finish_reason":"stop"}`
	seen := map[string]bool{}
	for range 2 {
		a, err := normalize.Chat([]byte(`{"choices":[`+choices+`]}`), normalize.Options{ID: "chatcmpl-" + uuid.Must(uuid.NewV7()).String(), Choices: 128})
		require.NoError(t, err)
		for _, m := range madeCallID.FindAllSubmatch(a.Body, -1) {
			require.LessOrEqual(t, len(m[1]), 40, "%s", m[1])
			require.False(t, seen[string(m[1])], "%s", m[1])
			seen[string(m[1])] = true
		}
	}
	require.Len(t, seen, 4*128)
}
