//go:build agents

package agents

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
	"github.com/signalbox/signalbox/pkg/testkit/docsref"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }

const installTimeout = 10 * time.Minute

// cacheFolder is relative to this folder.
const cacheFolder = "../../../.cache/agents"

// agentRun is one row of the results. In a run with two upstreams, the first one serves
// some requests and then fails, and the second one continues.
type agentRun struct {
	agent     string
	upstreams []string
	served    int
}

var runs = []agentRun{
	{agent: "Claude Code", upstreams: []string{"anthropic"}},
	{agent: "Claude Code", upstreams: []string{"chat"}},
	{agent: "Claude Code", upstreams: []string{"responses"}},
	{agent: "Claude Code", upstreams: []string{"gemini"}},
	{agent: "Claude Code", upstreams: []string{"chat", "anthropic"}, served: 1},
	{agent: "Claude Code", upstreams: []string{"anthropic", "chat"}},
	{agent: "Codex", upstreams: []string{"responses"}},
	{agent: "Codex", upstreams: []string{"chat"}},
	{agent: "Codex", upstreams: []string{"anthropic"}},
	{agent: "Codex", upstreams: []string{"gemini"}},
	{agent: "Codex", upstreams: []string{"chat", "anthropic"}, served: 1},
	{agent: "Codex", upstreams: []string{"responses", "anthropic"}, served: 1},
	{agent: "Codex", upstreams: []string{"anthropic", "chat"}},
	{agent: "Gemini CLI", upstreams: []string{"gemini"}},
	{agent: "Gemini CLI", upstreams: []string{"chat"}},
	{agent: "Gemini CLI", upstreams: []string{"responses"}},
	{agent: "Gemini CLI", upstreams: []string{"anthropic"}},
	{agent: "Gemini CLI", upstreams: []string{"chat", "gemini"}, served: 1},
	{agent: "OpenCode", upstreams: []string{"chat"}},
	{agent: "Qwen Code", upstreams: []string{"chat"}},
	{agent: "pi", upstreams: []string{"chat"}},
	{agent: "Cline", upstreams: []string{"chat"}},
	{agent: "Continue", upstreams: []string{"chat"}},
	{agent: "Aider", upstreams: []string{"chat"}},
}

// TestAgents lets every agent do the task and writes the results into the documentation.
// AGENTS selects agents by name, separated by commas; then the documentation stays.
func TestAgents(t *testing.T) {
	rows := [][]string{{"agent", "version", "protocol", "upstream", "tool calls", "requests", "result"}}
	selected := os.Getenv("AGENTS")
	for _, r := range runs {
		if selected != "" && !slices.Contains(strings.Split(selected, ","), r.agent) {
			continue
		}
		i := slices.IndexFunc(All, func(a Agent) bool { return a.Name == r.agent })
		row := result{agent: All[i], upstream: r.describe(), outcome: "failed"}
		t.Run(r.agent+" over "+strings.Join(r.upstreams, ","), func(t *testing.T) { row.run(t, r) })
		rows = append(rows, row.cells())
		fmt.Println(strings.Join(row.cells(), " | "))
	}
	fmt.Println(docsref.Table(rows))
	if selected == "" {
		t.Setenv("UPDATE_DOCS", "1")
		docsref.Check(t, "agents.md", "agents", docsref.Table(rows))
	}
}

func (r agentRun) describe() string {
	switch {
	case len(r.upstreams) == 1:
		return r.upstreams[0]
	case r.served == 0:
		return r.upstreams[0] + " fails, then " + r.upstreams[1]
	}
	return r.upstreams[0] + ", then an error, then " + r.upstreams[1]
}

// newUpstreams starts the vendors. The first of two fails more often than the gateway
// calls it.
func (r agentRun) newUpstreams() *Upstreams {
	up := NewUpstreams(r.upstreams...)
	if len(r.upstreams) > 1 {
		up.Servers[0].Fail(append(make([]string, r.served), slices.Repeat([]string{"500"}, 20)...)...)
	}
	return up
}

// result is a row of the table.
type result struct {
	agent           Agent
	upstream        string
	calls, requests int
	outcome         string
}

func (r *result) cells() []string {
	return []string{r.agent.Name, r.agent.Version, r.agent.Protocol, r.upstream, strconv.Itoa(r.calls), strconv.Itoa(r.requests), r.outcome}
}

func (r *result) run(t *testing.T, a agentRun) {
	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	cache, err := filepath.Abs(cacheFolder)
	require.NoError(t, err)
	installed, err := r.agent.Install(ctx, cache, os.Stderr)
	require.NoError(t, err)
	r.agent = installed.Agent
	up := a.newUpstreams()
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(up.Policy(server.URL)), 0o600))
	box := e2e.Start(t, "--config", policy)
	api := box.SignInOperator()
	target := newTarget(t, box)
	defer func() { r.calls, r.requests = coderCalls(up), len(up.Costs()) }()
	output := installed.doTask(t, target)
	changed, err := os.ReadFile(filepath.Join(target.Folder, coder.File))
	require.NoError(t, err)
	require.Equal(t, coder.New+" world\n", string(changed), "%s\n%s", output, describeCalls(up))
	require.GreaterOrEqual(t, coderCalls(up), minToolCalls(r.agent), "%s\n%s", output, describeCalls(up))
	require.Contains(t, output, coder.Done, "the report of the model")
	checkRecords(t, api, r.agent, up)
	if len(a.upstreams) > 1 {
		checkFallback(t, api, up, a.served)
	}
	r.outcome = "ok"
}

// Aider takes edits from the text of the response and offers no tools.
func minToolCalls(a Agent) int {
	if a.Name == "Aider" {
		return 0
	}
	return 2
}

func newTarget(t *testing.T, box *e2e.Gateway) Target {
	target := Target{URL: box.Base, Key: box.Key, Home: t.TempDir(), Folder: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(target.Folder, coder.File), []byte(coder.Old+" world\n"), 0o600))
	return target
}
