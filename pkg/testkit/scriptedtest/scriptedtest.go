// Package scriptedtest is an HTTP upstream for tests. It sends scripted responses (see package
// scripted) and records what it receives. Tests of the proxy and of provider adapters call it over
// loopback. It stops when the test ends. The only wire format here is the OpenAI response in openai.go.
package scriptedtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// New starts an upstream on loopback. It calls serve for each call for which no response is scripted.
// The upstream stops when the test ends.
func New(t testing.TB, serve func(Received) scripted.Response) *Upstream {
	t.Helper()
	u, err := listen(serve)
	require.NoError(t, err)
	t.Cleanup(u.Close)
	return u
}
