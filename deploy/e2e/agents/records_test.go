//go:build agents

package agents

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/deploy/e2e"
)

// checkRecords checks that the gateway recorded every request with its protocol and
// program, and every cost as the vendors charge it.
func checkRecords(t *testing.T, api *e2e.APIClient, a Agent, up *Upstreams) {
	t.Helper()
	charged := up.Costs()
	slices.Sort(charged)
	var recorded []int64
	require.Eventually(t, func() bool {
		recorded = nil
		for _, r := range api.ListRecords() {
			if r.Cost != nil && *r.Cost > 0 {
				recorded = append(recorded, *r.Cost)
			}
		}
		return len(recorded) >= len(charged)
	}, 10*time.Second, 50*time.Millisecond, "records are missing")
	slices.Sort(recorded)
	require.Equal(t, charged, recorded)
	for _, r := range api.ListRecords() {
		require.Equal(t, a.Protocol, r.Protocol)
		require.Equal(t, a.Client, r.Agent)
		require.Equal(t, "ok", r.Outcome, "%+v", r)
		if r.Provider == vendors["chat"].provider {
			attempts := api.AwaitRecord(r.ID).Attempts
			checkDropped(t, a, up, attempts[len(attempts)-1].Dropped)
		}
	}
}

// checkDropped checks that the record of a call to OpenAI names what was dropped, and that
// nothing was dropped if the agent and the upstream both speak Responses.
func checkDropped(t *testing.T, a Agent, up *Upstreams, dropped []string) {
	t.Helper()
	if a.Protocol == "responses" && slices.Contains(up.Names, "responses") {
		require.Empty(t, dropped)
		return
	}
	require.Subset(t, dropped, droppedForOpenAI[a.Name])
}

// droppedForOpenAI lists what agents send that translated requests to OpenAI cannot express.
var droppedForOpenAI = map[string][]string{
	"Claude Code": {"anthropic-beta", "context_management"},
	"Codex":       {"include", "tools.web_search"},
}

// checkFallback checks that the first vendor served that many requests, then failed, and
// that the second one served the others.
func checkFallback(t *testing.T, api *e2e.APIClient, up *Upstreams, served int) {
	t.Helper()
	require.Positive(t, up.Failures())
	failed := 0
	for i, r := range api.ListRecords() {
		want := up.Names[1]
		if i >= len(up.Costs())-served {
			want = up.Names[0]
		}
		require.Equal(t, vendors[want].provider, r.Provider)
		failed += len(r.Attempts) - 1
	}
	require.Equal(t, up.Failures(), failed)
}
