// Package scriptedtest starts scripted upstreams for tests (see package scripted). They stop when the
// test ends. Only tests import it.
package scriptedtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// New starts an upstream on loopback. It calls serve for each call for which no response is scripted.
// The upstream stops when the test ends.
func New(t testing.TB, serve func(scripted.Received) scripted.Response) *scripted.Upstream {
	t.Helper()
	u, err := scripted.Listen(serve)
	require.NoError(t, err)
	t.Cleanup(u.Close)
	return u
}
