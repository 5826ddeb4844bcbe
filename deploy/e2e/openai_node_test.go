package e2e

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// npm installs the client from the lockfile, once.
func npm(t *testing.T) {
	t.Helper()
	install := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = "node"
	out, err := install.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

func TestOpenAINodeThroughALocalProvider(t *testing.T) {
	npm(t)
	eachShape(t, openAINodeThroughALocalProvider)
}

func openAINodeThroughALocalProvider(t *testing.T, start func(*testing.T, ...string) *Box) {
	upstream := NewUpstream(t)
	box := start(t, upstream.Policy(t)...)
	script := exec.CommandContext(t.Context(), "node", "client.mjs", box.Base+"/proxy/v1", box.Key)
	script.Dir = "node"
	out, err := script.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "all good")

	operator := box.Operator()
	require.Eventually(t, func() bool { return len(operator.Records()) == 5 }, patience, pollEvery)
}
