package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// turn returns the body of a turn, in the spelling of a real client: unusual white space,
// escapes, numbers and an order of members that no encoder would write. The messages are last,
// so each body begins with the one before it, except for its end.
func turn(model string, n int) (body, prefix string) {
	var b strings.Builder
	fmt.Fprintf(&b, "{ \"max_tokens\":1000 ,\"system\":[{\"text\":\"caf\\u00e9 \\/ é\",\"type\":\"text\",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"1h\"}}],"+
		"\n\t\"model\" : %q,\"unknown_field\":{\"z\":1.0,\"a\":[ ]},\"messages\": [", model)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, `{"role":"user","content":"question %d \u00fc"},{"content":[{"type":"text","text":"answer %d"}] ,"role":"assistant"}`, i, i)
	}
	prefix = b.String()
	return prefix + `,{"role":"user","content":"next"} ]}`, prefix
}

// A provider finds a conversation in its prompt cache only if each request begins with the
// same bytes as the one before.
func TestAConversationKeepsItsPrefix(t *testing.T) {
	v := newVendors(t, "opus")
	for n := range 10 {
		body, _ := turn("auto", n+1)
		res, text := v.send(t, http.MethodPost, messagesPath, body, testKey)
		require.Equal(t, http.StatusOK, res.StatusCode, text)
	}
	received := v.claude.Received()
	require.Len(t, received, 10)
	for i, r := range received {
		body, prefix := turn("up", i+1)
		require.Equal(t, body, string(r.Body))
		if i+1 < len(received) {
			require.True(t, strings.HasPrefix(string(received[i+1].Body), prefix), "turn %d", i+1)
		}
	}
}
