package e2e

import (
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

// canaryPolicy has a provider with a secret, and a pattern of the operator's.
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

// aviary is a system in which every secret is a canary: a text that is nowhere
// else in the world.
type aviary struct {
	t         *testing.T
	box       *Gateway
	up        *Upstream
	collector *collector
	speakers  []*speaker
	// secret are those that may be kept nowhere, by what they are.
	secret map[string]string
}

// speaker is an account of which so much is kept.
type speaker struct {
	*APIClient
	capture, key string
	// spoken is what it writes in its requests.
	spoken []string
	ids    []string
}

// flags prepares what the system needs before it is started.
func (v *aviary) flags() []string {
	v.up, v.collector, v.secret = NewUpstream(v.t), newCollector(v.t), map[string]string{"provider's secret": "up-" + rand.Text()}
	path := filepath.Join(v.t.TempDir(), "signalbox.yaml")
	require.NoError(v.t, os.WriteFile(path, fmt.Appendf(nil, canaryPolicy, v.up.URL), 0o600))
	v.t.Setenv("UPSTREAM_SECRET", v.secret["provider's secret"])
	v.t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", v.collector.url)
	return []string{"--config", path}
}

// settle makes an account for each capture.
func (v *aviary) settle() {
	for _, capture := range []string{"full", "redacted", "none"} {
		n := &speaker{APIClient: v.box.NewVisitor(), capture: capture}
		password := "pw-" + rand.Text()
		status, body := n.Call(http.MethodPost, "/register", map[string]string{"email": capture + "@example.com", "password": password, "name": "canary " + capture}, nil)
		require.Less(v.t, status, 300, "%s", body)
		status, body = n.Call(http.MethodPatch, "/account", map[string]string{"capture": capture}, nil)
		require.Less(v.t, status, 300, "%s", body)
		n.key = n.makeKey(map[string]any{}).Key
		n.spoken = []string{"sk-ant-7" + rand.Text(), rand.Text() + "@canary.example", "KD-" + rand.Text()}
		if capture != "redacted" {
			n.spoken = append(n.spoken, "plain "+rand.Text())
		}
		v.secret[capture+"'s password"], v.secret[capture+"'s key"] = password, n.key
		if capture != "full" {
			for _, text := range n.spoken {
				v.secret["words of "+capture+", "+text[:3]] = text
			}
		}
		v.speakers = append(v.speakers, n)
	}
}

// utterances are requests in which a text stands wherever one can stand.
func utterances(text string) map[string]string {
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

// speak sends all requests of all accounts, and some names of models that are
// secrets.
func (v *aviary) speak() {
	for _, n := range v.speakers {
		for _, text := range n.spoken {
			for name, body := range utterances(text) {
				v.send(n, name, body)
			}
		}
		v.send(n, "unknown", `{"model":"`+n.spoken[0]+`","messages":[{"role":"user","content":"x"}]}`)
	}
	seen := v.up.Requests()
	require.NotEmpty(v.t, seen)
	require.Equal(v.t, "Bearer "+v.secret["provider's secret"], seen[0].Header.Get("Authorization"))
}

func (v *aviary) send(n *speaker, name, body string) {
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
	v := &aviary{t: t}
	v.box = Start(t, append(v.flags(), "--log-level", "debug")...)
	v.settle()
	v.speak()
	v.read()
	v.searched(v.box.Data, "canary redacted")
	v.box.Terminate()
	require.Zero(t, v.box.Wait())
	v.searched(v.box.Data, "canary redacted")
	v.heard()
}

func TestCanariesSplit(t *testing.T) {
	v := &aviary{t: t}
	redis, postgres, data := newRedis(t), newPostgres(t), t.TempDir()
	v.box = startSplit(t, append(v.flags(), "--redis", redis.URL, "--postgres", postgres.URL, "--data", data,
		"--set", "OTEL_EXPORTER_OTLP_ENDPOINT="+v.collector.url, "--set", "SIGNALBOX_LOG_LEVEL=debug", "--proxies", "1")...)
	v.settle()
	// While nobody reads, everything stays where it passes through.
	require.NoError(t, syscall.Kill(v.box.PIDs["dashboard"], syscall.SIGSTOP))
	v.speak()
	v.searched(data, v.speakers[0].spoken[0])
	require.Eventually(t, func() bool { return inFolder(home(t, redis.PID()), v.speakers[0].spoken[0]) }, waitTimeout, pollInterval)
	require.NoError(t, syscall.Kill(v.box.PIDs["dashboard"], syscall.SIGCONT))
	v.read()
	v.searched(home(t, redis.PID()), v.speakers[0].spoken[0])
	v.searched(home(t, postgres.PID()), "canary redacted")
	v.box.stopSplit()
	v.searched(data, "CERTIFICATE")
	v.heard()
}
