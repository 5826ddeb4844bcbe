package learned

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

var commands = clitest.Commands(Commands())

func TestLearnedVersions(t *testing.T) {
	data := clitest.StartRouter(t)
	out, _ := commands.Run(t, "learned", "list", "--data", data)
	require.Contains(t, out, "Applies: shipped, until the router has learned more")
	out, _ = commands.Run(t, "learned", "use", "shipped", "--data", data)
	require.Equal(t, "Applies: shipped, until another version is chosen\n", out)
	out, _ = commands.Run(t, "learned", "list", "--json", "--data", data)
	require.JSONEq(t, `{"items": [], "active": "shipped", "pinned": true}`, out)
	out, _ = commands.Run(t, "learned", "use", "newest", "--data", data)
	require.Equal(t, "Applies: shipped, until the router has learned more\n", out)
	_, _, said := commands.RunFailing(t, "learned", "use", "ffff", "--data", data)
	require.Contains(t, said, "NOT_FOUND")
}
