package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// canaryPolicy has a provider with a secret and a redaction pattern of the operator.
const canaryPolicy = `version: 1
providers:
  sandbox: {kind: sandbox}
  local: {kind: openai, base_url: %s/v1, allow_private: true, keys: [{ref: env:UPSTREAM_SECRET}]}
models:
  sandbox-small: {}
  small:
    endpoints: [{provider: local, model: local-s}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    context: 8192
defaults:
  baseline: sandbox-small
  logging: {redact: [{name: customer-no, pattern: 'KD-[A-Z2-7]{26}'}]}
routes: {auto: {select: [{candidates: [sandbox-small]}]}}
`

// canaryRig is a system in which every secret is a canary, a unique random text.
type canaryRig struct {
	t         *testing.T
	box       *Gateway
	up        *Upstream
	collector *collector
	accounts  []*canaryAccount
	// env holds the environment variables of the gateway.
	env []string
	// secret holds the texts that must not be stored anywhere, by description.
	secret map[string]string
}

// canaryAccount is an account with one capture setting.
type canaryAccount struct {
	*APIClient
	capture, key string
	// texts are the texts in its requests.
	texts []string
	ids   []string
}

// flags starts the upstream and the collector and returns the flags of the gateway.
func (v *canaryRig) flags() []string {
	v.up, v.collector, v.secret = NewUpstream(v.t), newCollector(v.t), map[string]string{"provider's secret": "up-" + rand.Text()}
	path := filepath.Join(v.t.TempDir(), "signalbox.yaml")
	require.NoError(v.t, os.WriteFile(path, fmt.Appendf(nil, canaryPolicy, v.up.URL), 0o600))
	v.env = []string{"UPSTREAM_SECRET=" + v.secret["provider's secret"], "OTEL_EXPORTER_OTLP_ENDPOINT=" + v.collector.url}
	return []string{"--config", path}
}

// createAccounts creates an account for each capture setting.
func (v *canaryRig) createAccounts() {
	for _, capture := range []string{"full", "redacted", "none"} {
		n := &canaryAccount{APIClient: v.box.NewVisitor(), capture: capture}
		password := "pw-" + rand.Text()
		status, body := n.CallWithPassword("/register", map[string]string{"email": capture + "@example.com", "password": password, "name": "canary " + capture}, nil)
		require.Less(v.t, status, 300, "%s", body)
		status, body = n.Call(http.MethodPatch, "/account", map[string]string{"capture": capture}, nil)
		require.Less(v.t, status, 300, "%s", body)
		n.key = n.makeKey(map[string]any{}).Key
		n.texts = []string{"sk-ant-7" + rand.Text(), rand.Text() + "@canary.example", "KD-" + rand.Text()}
		if capture != "redacted" {
			n.texts = append(n.texts, "plain "+rand.Text())
		}
		v.secret[capture+"'s password"], v.secret[capture+"'s key"] = password, n.key
		if capture != "full" {
			for _, text := range n.texts {
				v.secret["words of "+capture+", "+text[:3]] = text
			}
		}
		v.accounts = append(v.accounts, n)
	}
}

// canaryRequests returns requests that contain the text in every possible position.
func canaryRequests(text string) map[string]string {
	user := `"messages":[{"role":"user","content":"I say ` + text + ` to you"}]`
	args, _ := json.Marshal(`{"a":"` + text + `"}`)
	call := `{"id":"c1","type":"function","function":{"name":"f","arguments":` + string(args) + `}}`
	return map[string]string{
		"chat":   `{"model":"auto",` + user + `}`,
		"stream": `{"model":"auto","stream":true,` + user + `}`,
		"tools": `{"model":"auto","messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[` + call + `]},
			{"role":"tool","tool_call_id":"c1","content":"` + text + `"}]}`,
		"upstream": `{"model":"small",` + user + `}`,
		"fails":    `{"model":"auto",` + user + `,"x_sandbox":{"models":{"sandbox-small":{"status":400}}}}`,
		"broken":   `{"model":"auto",` + user + `,"` + text + `":}`,
	}
}

// sendRequests sends all requests of all accounts, and requests whose model name is a
// secret.
func (v *canaryRig) sendRequests() {
	for _, n := range v.accounts {
		for _, text := range n.texts {
			for name, body := range canaryRequests(text) {
				v.send(n, name, body)
			}
		}
		v.sendFeedback(n)
		v.send(n, "unknown", `{"model":"`+n.texts[0]+`","messages":[{"role":"user","content":"x"}]}`)
	}
	seen := v.up.Requests()
	require.NotEmpty(v.t, seen)
	require.Equal(v.t, "Bearer "+v.secret["provider's secret"], seen[0].Header.Get("Authorization"))
}

// sendFeedback rates the first request with every text as reason and as source.
func (v *canaryRig) sendFeedback(n *canaryAccount) {
	var items []map[string]any
	for _, text := range n.texts {
		items = append(items, map[string]any{"request_id": n.ids[0], "verdict": "down", "reason": "because " + text, "source": text})
	}
	body, err := json.Marshal(items)
	require.NoError(v.t, err)
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.box.Base+"/proxy/v1/feedback", bytes.NewReader(body))
	require.NoError(v.t, err)
	req.Header.Set("Authorization", "Bearer "+n.key)
	res, err := edgeClient.Do(req)
	require.NoError(v.t, err)
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusAccepted, res.StatusCode, "%s", answer)
}

func (v *canaryRig) send(n *canaryAccount, name, body string) {
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.box.Base+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(v.t, err)
	req.Header.Set("Authorization", "Bearer "+n.key)
	res, err := edgeClient.Do(req)
	require.NoError(v.t, err)
	answer, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	require.NoError(v.t, err)
	want := map[string]int{"fails": http.StatusBadRequest, "broken": http.StatusBadRequest, "unknown": http.StatusNotFound}[name]
	require.Equal(v.t, max(want, http.StatusOK), res.StatusCode, "%s: %s", name, answer)
	n.ids = append(n.ids, res.Header.Get("X-Request-Id"))
}

func TestCanariesAllInOne(t *testing.T) {
	t.Parallel()
	v := &canaryRig{t: t}
	flags := append(v.flags(), "--log-level", "debug")
	v.box = startWithEnv(t, v.env, t.TempDir(), flags...)
	v.createAccounts()
	v.sendRequests()
	v.checkShownContent()
	v.searchFiles(v.box.Data, "canary redacted")
	v.box.Terminate()
	require.Zero(t, v.box.Wait())
	v.searchFiles(v.box.Data, "canary redacted")
	v.checkLogsAndTraces()
}

func TestCanariesSplit(t *testing.T) {
	t.Parallel()
	v := &canaryRig{t: t}
	redis, postgres, data := newRedis(t), newPostgres(t), t.TempDir()
	flags := append(v.flags(), "--redis", redis.URL, "--postgres", postgres.URL, "--data", data,
		"--set", "OTEL_EXPORTER_OTLP_ENDPOINT="+v.collector.url, "--set", "SIGNALBOX_LOG_LEVEL=debug", "--proxies", "1")
	v.box = startSplit(t, v.env, flags...)
	v.createAccounts()
	// While the dashboard is stopped, all data stays in the spool and in Redis.
	require.NoError(t, syscall.Kill(v.box.PIDs["dashboard"], syscall.SIGSTOP))
	v.sendRequests()
	v.searchFiles(data, v.accounts[0].texts[0])
	require.Eventually(t, func() bool { return directoryContains(serverDirectory(t, redis.PID()), v.accounts[0].texts[0]) }, waitTimeout, pollInterval)
	require.NoError(t, syscall.Kill(v.box.PIDs["dashboard"], syscall.SIGCONT))
	v.checkShownContent()
	v.searchFiles(serverDirectory(t, redis.PID()), v.accounts[0].texts[0])
	v.searchFiles(serverDirectory(t, postgres.PID()), "canary redacted")
	v.box.stopSplit()
	v.searchFiles(data, "CERTIFICATE")
	v.checkLogsAndTraces()
}
