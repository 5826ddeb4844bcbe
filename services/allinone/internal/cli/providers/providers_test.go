package providers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

var commands = clitest.Commands(Commands())

func TestAProviderIsDrainedAndResumed(t *testing.T) {
	data := clitest.StartRouter(t)
	out, errs := commands.Run(t, "provider", "drain", "--model", "sandbox-small", "--provider", "sandbox", "--reason", "new rack", "--data", data)
	require.Equal(t, "Drained: sandbox-small at sandbox\n", out)
	require.Contains(t, errs, "the audit log does not contain this change", "keyauth does not run here")
	out, _ = commands.Run(t, "provider", "list", "--data", data)
	require.Contains(t, out, "Drained: sandbox-small at sandbox (new rack, by operator)")
	out, _ = commands.Run(t, "provider", "list", "--json", "--data", data)
	require.Contains(t, out, `"reason": "new rack"`)
	_, _, said := commands.RunFailing(t, "provider", "drain", "--provider", "sandbox", "--data", data)
	require.Contains(t, said, "give a reason")
	_, _, said = commands.RunFailing(t, "provider", "resume", "--provider", "sandbox", "--data", data)
	require.Contains(t, said, "NOT_FOUND")
	out, _ = commands.Run(t, "provider", "resume", "--model", "sandbox-small", "--provider", "sandbox", "--data", data)
	require.Equal(t, "Resumed: sandbox-small at sandbox\n", out)
	out, _ = commands.Run(t, "provider", "list", "--data", data)
	require.NotContains(t, out, "Drained")
}
