//go:build agents

package agents

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
)

// continuations are the arguments with which an agent continues its last work.
var continuations = map[string]func(prompt string) []string{
	"Claude Code": func(prompt string) []string {
		return []string{"--continue", "-p", prompt, "--output-format", "json", "--permission-mode", "acceptEdits"}
	},
	"Codex": func(prompt string) []string {
		return []string{"exec", "resume", "--last", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}
	},
}

// TestSessions lets a connected agent do the task and continue it twice, each time in a new
// process. All requests are one session with the right totals. AGENTS selects agents by name.
func TestSessions(t *testing.T) {
	selected := os.Getenv("AGENTS")
	for _, r := range connectedRuns {
		if continuations[r.agent] != nil && (selected == "" || slices.Contains(strings.Split(selected, ","), r.agent)) {
			t.Run(r.agent, func(t *testing.T) { runSession(t, r) })
		}
	}
}

func runSession(t *testing.T, r connectedRun) {
	c := startConnected(t, r)
	output := c.doTaskWell(t)
	for _, prompt := range []string{"Say again what you did.", "Are you sure?"} {
		require.Contains(t, c.start(t, c.target, continuations[r.agent](prompt)), coder.Done)
	}
	checkRecords(t, c.api, c.Agent, c.up)
	s := c.awaitSession(t)
	c.checkTotals(t, &s)
	c.checkTimeline(t, &s)
	if r.client == "claude" {
		c.checkStatusLine(t, output, &s)
	}
	c.disconnect(t)
}

// agentSession is a session of the API.
type agentSession struct {
	ID, Agent                         string
	Requests, Turns, Errors, Unpriced int64
	SideCalls                         int64 `json:"side_calls"`
	Cost                              int64 `json:"cost_nano_usd"`
	Saved                             int64 `json:"saved_nano_usd"`
	Timeline                          struct{ Items []e2e.Record }
}

// awaitSession waits until the list of sessions contains every request. It must have one session.
func (c *connected) awaitSession(t *testing.T) agentSession {
	t.Helper()
	var page struct{ Items []agentSession }
	require.Eventually(t, func() bool {
		status, body := c.api.Call(http.MethodGet, "/sessions", nil, &page)
		require.Equal(t, http.StatusOK, status, string(body))
		var requests int64
		for i := range page.Items {
			requests += page.Items[i].Requests
		}
		return requests == int64(len(c.up.Costs()))
	}, 10*time.Second, 50*time.Millisecond, "requests are missing")
	require.Len(t, page.Items, 1, "%+v", page.Items)
	return page.Items[0]
}

// checkTotals compares the session with the records and with the vendor's own count. Three
// requests do the task, and at least one more is sent for each continuation.
func (c *connected) checkTotals(t *testing.T, s *agentSession) {
	t.Helper()
	var recorded, saved, sideCalls, charged int64
	records := c.api.ListRecords()
	for _, r := range records {
		require.Equal(t, s.ID, r.Session)
		recorded += *r.Cost
		saved += *r.Saved
		if r.SideCall {
			sideCalls++
		}
	}
	for _, cost := range c.up.Costs() {
		charged += cost
	}
	require.Equal(t, charged, recorded)
	require.Equal(t, &agentSession{
		ID: s.ID, Agent: c.Client, Requests: int64(len(records)), Turns: int64(len(records)) - sideCalls, SideCalls: sideCalls, Cost: charged, Saved: saved,
	}, s)
	require.GreaterOrEqual(t, s.Turns, int64(5))
}

// checkTimeline checks that the session has the records in their order.
func (c *connected) checkTimeline(t *testing.T, s *agentSession) {
	t.Helper()
	var one agentSession
	status, body := c.api.Call(http.MethodGet, "/sessions/"+url.PathEscape(s.ID)+"?limit=200", nil, &one)
	require.Equal(t, http.StatusOK, status, string(body))
	var ids, want []string
	for _, r := range one.Timeline.Items {
		ids = append(ids, r.ID)
	}
	for _, r := range slices.Backward(c.api.ListRecords()) {
		want = append(want, r.ID)
	}
	require.Equal(t, want, ids)
}

var sessionID = regexp.MustCompile(`"session_id":"([^"]+)"`)

// checkStatusLine runs the status line as Claude Code does: the command and the variables of
// its settings, with the session that the output of Claude Code names as the input.
func (c *connected) checkStatusLine(t *testing.T, output string, s *agentSession) {
	t.Helper()
	var settings struct {
		Env        map[string]string
		StatusLine struct{ Command string }
	}
	text, err := os.ReadFile(filepath.Join(c.target.Home, ".claude", "settings.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &settings))
	found := sessionID.FindStringSubmatch(output)
	require.Len(t, found, 2, output)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", settings.StatusLine.Command)
	cmd.Stdin = strings.NewReader(`{"session_id":"` + found[1] + `"}`)
	for name, value := range settings.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	line, err := cmd.Output()
	require.NoError(t, err)
	const dollar = 1e9
	require.Equal(t, fmt.Sprintf("%s · $%.4f\n", vendors["anthropic"].model, float64(s.Cost)/dollar), string(line))
}
