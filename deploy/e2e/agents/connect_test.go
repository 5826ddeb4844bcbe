//go:build agents

package agents

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
)

// connectedRun is an agent that `signalbox connect` sets up. Its arguments contain no
// address, key or model.
type connectedRun struct {
	agent, client, upstream string
	args                    func(t Target, task string) []string
	// variables are those of the user's shell.
	variables []string
}

var connectedRuns = []connectedRun{
	{agent: "Claude Code", client: "claude", upstream: "anthropic", args: claudeCode.Args, variables: []string{"ANTHROPIC_API_KEY=sk-ant-of-the-user"}},
	{agent: "Codex", client: "codex", upstream: "chat", args: codex.Args},
	// A user answers a question to trust the folder.
	{agent: "Gemini CLI", client: "gemini", upstream: "gemini", args: geminiCLI.Args, variables: []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}},
	{agent: "OpenCode", client: "opencode", upstream: "chat", args: openCode.Args},
	{agent: "Cline", client: "cline", upstream: "chat", args: cline.Args},
	{agent: "Continue", client: "continue", upstream: "chat", args: func(_ Target, task string) []string { return []string{"--auto", "-p", task} }},
	{agent: "Qwen Code", client: "qwen", upstream: "chat", args: func(_ Target, task string) []string { return []string{"--yolo", "-p", task} }},
	{agent: "Aider", client: "aider", upstream: "chat", args: func(t Target, task string) []string {
		return []string{"--edit-format", "diff", "--yes-always", "--no-git", "--no-check-update", "--message", task, t.Folder + "/" + coder.File}
	}},
}

// TestConnectedAgents lets agents do the task with nothing but the settings that connect
// writes. Afterwards disconnect leaves none of them. AGENTS selects agents by name.
func TestConnectedAgents(t *testing.T) {
	selected := os.Getenv("AGENTS")
	for _, r := range connectedRuns {
		if selected == "" || slices.Contains(strings.Split(selected, ","), r.agent) {
			t.Run(r.agent, func(t *testing.T) { runConnected(t, r) })
		}
	}
}

func runConnected(t *testing.T, r connectedRun) {
	c := startConnected(t, r)
	c.doTaskWell(t)
	checkRecords(t, c.api, c.Agent, c.up)
	c.disconnect(t)
}

// connected is an agent that was set up by connect, with its gateway and vendor.
type connected struct {
	Installed
	client string
	up     *Upstreams
	box    *e2e.Gateway
	api    *e2e.APIClient
	target Target
}

func startConnected(t *testing.T, r connectedRun) *connected {
	t.Helper()
	c := &connected{Installed: installAgent(t, r), client: r.client, up: NewUpstreams(r.upstream)}
	server := httptest.NewServer(c.up)
	t.Cleanup(server.Close)
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(c.up.Policy(server.URL)), 0o600))
	c.box = e2e.Start(t, "--config", policy)
	c.api = c.box.SignInOperator()
	c.target = newTarget(t, c.box)
	c.command(t, "connect")
	return c
}

func (c *connected) command(t *testing.T, name string) {
	t.Helper()
	out, err := e2e.Command(t.Context(), c.Environment(c.target), name, c.client, "--yes", "--data", c.box.Data).CombinedOutput()
	require.NoError(t, err, string(out))
}

// doTaskWell lets the agent do the task and checks the result. It returns the output.
func (c *connected) doTaskWell(t *testing.T) string {
	t.Helper()
	output := c.doTask(t, c.target)
	changed, err := os.ReadFile(filepath.Join(c.target.Folder, coder.File))
	require.NoError(t, err)
	require.Equal(t, coder.New+" world\n", string(changed), "%s\n%s", output, describeCalls(c.up))
	return output
}

func (c *connected) disconnect(t *testing.T) {
	t.Helper()
	c.command(t, "disconnect")
	requireNoTrace(t, c.target.Home, c.box.Base)
}

// installAgent installs an agent without the settings that other tests give it.
func installAgent(t *testing.T, r connectedRun) Installed {
	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	cache, err := filepath.Abs(cacheFolder)
	require.NoError(t, err)
	i := slices.IndexFunc(All, func(a Agent) bool { return a.Name == r.agent })
	installed, err := All[i].Install(ctx, cache, os.Stderr)
	require.NoError(t, err)
	installed.Files, installed.Before, installed.Args = nil, nil, r.args
	installed.Env = func(Target) []string { return r.variables }
	return installed
}

// requireNoTrace checks that no settings file contains the address of the gateway. Agents
// keep logs and conversations, which are not settings.
func requireNoTrace(t *testing.T, home, url string) {
	t.Helper()
	require.NoDirExists(t, filepath.Join(home, ".config", "signalbox"))
	for _, pattern := range []string{".*/*.json", ".*/*.toml", ".*/*.yaml", ".*.yml", ".*/.env", ".config/*/*.json*", ".cline/data/settings/*.json"} {
		files, err := filepath.Glob(filepath.Join(home, pattern))
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NotContains(t, string(text), url, file)
		}
	}
}
