package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	onSmall = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-small}]}}\n"
	onLarge = "version: 1\nmodels: {sandbox-small: {}, sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n"
	faulty  = "version: 1\nmodles: {}\n"
)

// policy runs a policy command: over the socket of the router, or over its address with
// the operator's certificate.
func (b *Gateway) policy(args ...string) commandResult {
	b.t.Helper()
	where := []string{"--data", b.Data}
	if b.Data == "" {
		router := b.running("router")
		where = []string{"--server", readProcessEnv(router, "SIGNALBOX_LISTEN"), "--certs", readProcessEnv(router, "SIGNALBOX_CERTS")}
		if args[0] == "publish" || args[0] == "rollback" {
			where = append(where, "--keyauth", readProcessEnv(b.running("keyauth"), "SIGNALBOX_LISTEN"))
		}
	}
	return runCLI(b.t, append(append([]string{"policy"}, args...), where...)...)
}

// servedModel returns the model that serves auto; empty if none does.
func (b *Gateway) servedModel() string {
	b.t.Helper()
	res, err := b.Post(b.t.Context(), "/chat/completions", `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	require.NoError(b.t, err)
	require.NoError(b.t, res.Body.Close())
	require.Equal(b.t, http.StatusOK, res.StatusCode)
	return res.Header.Get("X-Signalbox-Model")
}

func (b *Gateway) awaitServedModel(model string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return b.servedModel() == model }, waitTimeout, pollInterval, model)
}

// forEachOwnDeployment starts deployments that no other test uses, because the active
// policy is global.
func forEachOwnDeployment(t *testing.T, test func(*testing.T, *Gateway)) {
	t.Parallel()
	t.Run("all in one", func(t *testing.T) {
		t.Parallel()
		test(t, Start(t))
	})
	t.Run("split", func(t *testing.T) {
		t.Parallel()
		box := startSplit(t, nil)
		t.Cleanup(box.stopSplit)
		test(t, box)
	})
}

func policyFile(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestPolicyPublishAndRollback(t *testing.T) { forEachOwnDeployment(t, publishAndRollback) }

func publishAndRollback(t *testing.T, box *Gateway) {
	var list cliList[struct{ Version string }]
	before := box.policy("list", "--json")
	require.Zero(t, before.code, before.err)
	require.NoError(t, json.Unmarshal([]byte(before.out), &list))
	first := list.Items[0].Version

	path := policyFile(t, faulty)
	refused := box.policy("publish", path)
	require.Equal(t, 1, refused.code)
	require.Empty(t, refused.out)
	require.Contains(t, refused.err, path+":2:1: modles: UNKNOWN_FIELD")

	path = policyFile(t, onLarge)
	differs := box.policy("diff", path, "--exit-code")
	require.Equal(t, 1, differs.code, differs.err)
	require.Contains(t, differs.out, "routes.auto")
	done := box.policy("publish", path, "--note", "larger")
	require.Zero(t, done.code, done.err)
	box.awaitServedModel("sandbox-large")
	explained := box.policy("explain")
	require.Zero(t, explained.code, explained.err)
	require.Regexp(t, `(?m)^sandbox-large +sandbox +CHOSEN`, explained.out)
	same := box.policy("diff", path, "--exit-code")
	require.Zero(t, same.code, same.err)

	back := box.policy("rollback", first[:12])
	require.Zero(t, back.code, back.err)
	box.requireAuditedChanges(first)
	box.awaitServedModel("sandbox-small")
	require.Equal(t, 1, box.policy("rollback", "ffff").code)
}

// requireAuditedChanges requires that the audit log names both changes: the publication of a
// version, then the rollback to first.
func (b *Gateway) requireAuditedChanges(first string) {
	b.t.Helper()
	var log struct {
		Items []struct{ Action, Target string } `json:"items"`
	}
	status, body := b.SignInOperator().Call(http.MethodGet, "/audit?limit=200", nil, &log)
	require.Equal(b.t, http.StatusOK, status, "%s", body)
	var changes []string
	for _, e := range log.Items {
		if strings.HasPrefix(e.Action, "policy.") {
			changes = append(changes, e.Action)
		}
	}
	require.Equal(b.t, []string{"policy.rollback", "policy.publish"}, changes, "newest first")
	require.Contains(b.t, string(body), first)
}

func TestAPolicyFileIsFollowed(t *testing.T) { forEachDeployment(t, fileIsFollowed) }

func fileIsFollowed(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	path := policyFile(t, onSmall)
	box := start(t, "--config", path)
	box.awaitServedModel("sandbox-small")
	refused := box.policy("publish", policyFile(t, onLarge))
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.err, "POLICY_READ_ONLY")

	require.NoError(t, os.WriteFile(path, []byte(onLarge), 0o600))
	box.awaitServedModel("sandbox-large")
	require.NoError(t, os.WriteFile(path, []byte(faulty), 0o600))
	require.Eventually(t, func() bool {
		return strings.Contains(box.policy("show").err, "file:2:1: modles: UNKNOWN_FIELD")
	}, waitTimeout, 10*pollInterval)
	require.Equal(t, "sandbox-large", box.servedModel(), "the last good one stays")
	require.Zero(t, runCLI(t, "policy", "validate", policyFile(t, onLarge)).code)
	require.Equal(t, 1, runCLI(t, "policy", "validate", path).code)
	require.Equal(t, 2, runCLI(t, "policy", "list", "--data", t.TempDir()).code)
	if box.Data != "" {
		require.Contains(t, box.readyz(), "UNKNOWN_FIELD in line 2, column 1")
		require.NoError(t, os.Remove(path))
		require.NoError(t, syscall.Mkfifo(path, 0o600))
		box.awaitReadyz(`"policy_file":"cannot be loaded: the policy file is not a regular file"`)
		require.Equal(t, "sandbox-large", box.servedModel(), "the last good one stays")
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, []byte(onSmall), 0o600))
		box.awaitReadyz(`"policy_file":"active"`)
	}
}

func (b *Gateway) awaitReadyz(text string) {
	b.t.Helper()
	require.Eventually(b.t, func() bool { return strings.Contains(b.readyz(), text) }, waitTimeout, 10*pollInterval, text)
}

// readyz returns the body of the readiness page.
func (b *Gateway) readyz() string {
	b.t.Helper()
	res, err := edgeClient.Get(b.Base + "/readyz")
	require.NoError(b.t, err)
	defer func() { require.NoError(b.t, res.Body.Close()) }()
	body, err := io.ReadAll(res.Body)
	require.NoError(b.t, err)
	return string(body)
}
