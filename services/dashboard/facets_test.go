package dashboard_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Orders and facets that do not exist are rejected with what is allowed, and a cursor works in
// its own order only.
func TestOrdersAndFacetsAreChecked(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(newRecord(account, 1, nil), newRecord(account, 2, nil), newRecord(account, 3, nil))
	for query, param := range map[string]string{
		"/requests?sort=model": "sort", "/requests?sort=cost&order=up": "order", "/requests?sort=cost&cursor=x": "cursor",
		"/requests/facets?field=cost": "field", "/requests/facets": "field", "/requests/facets?field=meta.%00": "field",
		"/requests/facets?field=model&text=%00": "text", "/requests/facets?field=model&text=" + strings.Repeat("x", 257): "text",
		"/requests/facets?field=model&filter=nope:1": "filter",
	} {
		require.Equal(t, param, b.api("GET", query, "").requireError(t, 400, "INVALID_REQUEST")["param"], query)
	}
	first := b.api("GET", "/requests?sort=latency&limit=1", "").json(t)
	cursor, ok := first["next_cursor"].(string)
	require.True(t, ok)
	require.Len(t, b.api("GET", "/requests?sort=latency&limit=1&cursor="+cursor, "").json(t)["items"], 1)
	for _, other := range []string{"", "&sort=latency&order=asc", "&sort=cost"} {
		b.api("GET", "/requests?limit=1"+other+"&cursor="+cursor, "").requireError(t, 400, "INVALID_REQUEST")
	}
	// The counting has a short limit, so that a busy machine may need several tries.
	require.Eventually(t, func() bool {
		values := b.api("GET", "/requests/facets?field=endpoint", "").json(t)["values"]
		return reflect.DeepEqual([]any{map[string]any{"value": "chat", "requests": 3.0}}, values)
	}, time.Minute, 10*time.Millisecond)
	other, _ := h.registerUser("other@example.com")
	require.Empty(t, other.api("GET", "/requests/facets?field=endpoint", "").json(t)["values"])
}
