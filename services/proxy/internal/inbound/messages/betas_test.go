package messages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/inbound/messages"
)

// Features of a real client do not make its costs uncertain. Unknown ones do.
func TestUnpricedBetas(t *testing.T) {
	require.Empty(t, messages.UnpricedBetas(nil))
	require.Empty(t, messages.UnpricedBetas([]string{
		"claude-code-20250219,interleaved-thinking-2025-05-14, context-management-2025-06-27,prompt-caching-scope-2026-01-05",
		"effort-2025-11-24", "Fast-Mode-2026-02-01", "", " , ",
	}))
	require.Equal(t, []string{"new-2027-02-02", "interleaved-thinking-beta", "other"}, messages.UnpricedBetas([]string{
		"new-2027-02-02,oauth-2025-04-20", "interleaved-thinking-beta", "caf\u00e9", "new-2027-02-02",
	}))
}
