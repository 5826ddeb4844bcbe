package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/api"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const helloBody = `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`

// send sends a request over HTTP and returns its record.
func (g *rig) send(t *testing.T, path, userAgent, body string) *ledger.Record {
	t.Helper()
	srv := httptest.NewServer(api.New(g.deps))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header = http.Header{"Api-Key": {"k"}, "User-Agent": {userAgent}, "X-Signalbox-Capture": {g.capture}}
	res, err := srv.Client().Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_ = all(t, res)
	require.NotEmpty(t, g.records)
	return g.records[len(g.records)-1]
}

// Every record names the client program and the protocol, also if the request was rejected
// before its body was read or parsed.
func TestTheRecordNamesClientAndProtocol(t *testing.T) {
	const claude = "claude-cli/2.1.325 (external, cli)"
	requireNamed := func(r *ledger.Record, status int) {
		t.Helper()
		require.Equal(t, status, r.Status, r.Message)
		require.Equal(t, "claude-code", r.Agent)
		require.Equal(t, requestbody.ChatCompletions, r.Protocol)
	}
	const chat, embeddings = "/proxy/v1/chat/completions", "/proxy/v1/embeddings"
	requireNamed(newRig(t).send(t, chat, claude, helloBody), http.StatusOK)
	requireNamed(newRig(t).send(t, chat, claude, `not JSON`), http.StatusBadRequest)
	requireNamed(newRig(t).send(t, embeddings, claude, `{"model":"auto","input":"hi"}`), http.StatusNotFound)

	limited := newRig(t)
	limited.limits = limits.Set{RequestsPerMinute: 1}
	requireNamed(limited.send(t, chat, claude, helloBody), http.StatusOK)
	requireNamed(limited.send(t, chat, claude, helloBody), http.StatusTooManyRequests)
}

// A User-Agent is text of the client. Nothing of it is stored but a short name, and no name
// if it contains sensitive data by the built-in rules or by the operator's patterns.
func TestASecretInTheUserAgentIsNotStored(t *testing.T) {
	g := newRigOf(t, strings.Replace(document, "defaults: {", "defaults: {logging: {redact: [{name: project, pattern: 'project-[a-z]+'}]}, ", 1))
	for userAgent, want := range map[string]string{
		"acme-crawler/1.0 (ops@example.org)":          "acme-crawler",
		"sk-ant-canary-Zm9vYmFyYmF6cXV4Mzc1":          "",
		"sk-proj-canary5/Zm9vYmFyYmF6cXV4":            "",
		"ghp_canaryAbCdEfGhIjKlMnOpQr/1.0":            "",
		"acme/1.0 (key sk-canary-Zm9vYmFyYmF6cXV437)": "acme",
		"Bearer canary-c2VjcmV0LXRleHQ5":              "",
		"project-canary/2":                            "",
		strings.Repeat("canary", 20):                  "",
		"acme " + strings.Repeat("canary ", 200):      "acme",
	} {
		for _, g.capture = range []string{"none", "redacted", "full"} {
			r := g.send(t, "/proxy/v1/chat/completions", userAgent, helloBody)
			require.Equal(t, want, r.Agent, userAgent)
			require.NotContains(t, fmt.Sprintf("%+v", *r), "canary", userAgent)
		}
	}
}
