// Package scriptedtest starts scripted upstreams that stop with their test; see package
// scripted. Only tests import it.
package scriptedtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// New starts an upstream on loopback that calls serve when no script is left. It stops with
// the test.
func New(t testing.TB, serve func(scripted.Received) scripted.Response) *scripted.Upstream {
	t.Helper()
	u, err := scripted.Listen(serve)
	require.NoError(t, err)
	t.Cleanup(u.Close)
	return u
}
