package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A request in flight when the process dies is recorded as aborted.
func TestKillNineInFlightIsRecordedAsAborted(t *testing.T) {
	t.Parallel()
	box := Start(t)
	box.SignInOperator()
	res, err := box.Post(t.Context(), "/chat/completions", `{"model":"auto","stream":true,"messages":[{"role":"user","content":"hi"}],
		"x_sandbox":{"chunks":1000,"chunk_ms":50}}`)
	require.NoError(t, err)
	_, err = res.Body.Read(make([]byte, 1))
	require.NoError(t, err)
	box.Kill()
	_ = res.Body.Close()

	rec := box.Restart().SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id"))
	require.Equal(t, "aborted", rec.Outcome)
	require.Positive(t, *rec.Cost)
	require.Zero(t, *rec.Baseline.Cost)
}
