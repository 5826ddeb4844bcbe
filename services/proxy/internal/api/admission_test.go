package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/gate"
)

// A body that does not fit into the memory beside other bodies is rejected, and the client is told
// to try again.
func TestABodyWithoutMemoryIsRejected(t *testing.T) {
	g := newRig(t)
	g.deps.Gate = gate.New(gate.Limits{Bytes: 64 << 10})
	other, err := g.deps.Gate.Acquire(t.Context(), gate.Caller{Account: "other", Key: "other"})
	require.NoError(t, err)
	require.NoError(t, other.ReserveBytes(60<<10))
	res, stop := g.post(t, `{"model":"auto","messages":[{"role":"user","content":"`+strings.Repeat("x", 20<<10)+`"}]}`)
	defer stop()
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Contains(t, all(t, res), "too many large requests")
	require.NotEmpty(t, res.Header.Get("Retry-After"))
}
