package e2e

import (
	"context"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
)

// AwaitKey waits until every proxy knows a key. A proxy looks up an unknown key for two seconds only, which is too
// short for a busy machine; a request with a key that it knows does not wait.
func (b *Gateway) AwaitKey(key string) {
	b.t.Helper()
	for _, base := range b.Edges() {
		require.Eventually(b.t, func() bool { return b.acceptsKey(base, key) }, waitTimeout, pollInterval, "%s does not know a key", base)
	}
}

func (b *Gateway) acceptsKey(base, key string) bool {
	ctx, cancel := context.WithTimeout(b.t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/proxy/v1/models", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
}
