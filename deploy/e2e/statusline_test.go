package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
)

// dearPolicy has prices at which a short request costs enough to be shown.
const dearPolicy = `version: 1
providers:
  vendor: {kind: openai, base_url: %s/v1, allow_private: true}
models:
  cheap: {endpoints: [{provider: vendor, model: cheap}], price: {input: "100", output: "200"}, context: 8192}
  large: {endpoints: [{provider: vendor, model: large}], price: {input: "200", output: "400"}, context: 8192}
defaults: {baseline: large}
routes:
  auto: {select: [{candidates: [cheap, large]}]}
`

// runStatusLine runs the status line as Claude Code does.
func runStatusLine(t *testing.T, url, key, input string) commandResult {
	t.Helper()
	cmd := Command(t.Context(), []string{"ANTHROPIC_BASE_URL=" + url + "/proxy", "ANTHROPIC_AUTH_TOKEN=" + key}, "statusline")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	_ = cmd.Run()
	return commandResult{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func TestStatusLine(t *testing.T) { forEachDeployment(t, statusLine) }

// The line shows the routed model, the cost and the savings. Whatever fails, the exit code is 0.
func statusLine(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t, "--config", policyFile(t, fmt.Sprintf(dearPolicy, scriptedtest.New(t, scriptedtest.OpenAI).URL)))
	const input = `{"hook_event_name":"Status","session_id":"work","model":{"id":"claude-auto"}}`
	// A busy machine exceeds the second that the command has, and another proxy learns the totals of a
	// session late.
	await := func(want, key string) {
		t.Helper()
		isPrinted := func() bool {
			return runStatusLine(t, box.Base, key, input) == commandResult{out: want + "\n"}
		}
		require.Eventually(t, isPrinted, waitTimeout, pollInterval, want)
	}
	await("Signalbox: no requests in this session yet", box.Key)

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, box.Base+"/proxy/v1/messages",
		strings.NewReader(`{"model":"claude-auto","max_tokens":10,"messages":[{"role":"user","content":"Repair the build."}]}`))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+box.Key)
	req.Header.Set("X-Claude-Code-Session-Id", "work")
	res, err := edgeClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode)
	record := box.SignInOperator().AwaitRecord(res.Header.Get("X-Request-Id"))
	want := fmt.Sprintf("cheap · $%.4f · saved $%.4f", float64(*record.Cost)/1e9, float64(*record.Saved)/1e9)
	require.Contains(t, want, "cheap · $0.0015 · saved $0.0015")
	await(want, box.Key)

	await("Signalbox: the key is invalid, expired or revoked", apikey.New())
	await("Signalbox: not connected; run signalbox connect claude", "sk-ant-mine")
}

// A gateway that accepts connections and never responds does not keep the command, nor does an
// input that never ends.
func TestStatusLineNeverBlocks(t *testing.T) {
	t.Parallel()
	hung, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = hung.Close() }()
	require.Equal(t, commandResult{out: "Signalbox: the gateway did not respond in time\n"}, runStatusLine(t, "http://"+hung.Addr().String(), apikey.New(), `{"session_id":"s"}`))

	in, end, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _, _ = in.Close(), end.Close() }()
	cmd := Command(t.Context(), nil, "statusline")
	cmd.Stdin = in
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "Signalbox: no session in the input")
}
