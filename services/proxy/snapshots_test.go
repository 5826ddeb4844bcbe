package proxy_test

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/snapshot"
)

// chat sends the usual request with a key.
func (g *rig) chat(key string) (*http.Response, string) {
	g.t.Helper()
	return g.call(http.MethodPost, chatPath, hello, "Authorization: Bearer "+key)
}

func (g *rig) requireChat(key string, status int, code string) {
	g.t.Helper()
	res, body := g.chat(key)
	require.Equal(g.t, status, res.StatusCode, body)
	require.Contains(g.t, body, code)
}

func (g *rig) snapshots() string { return filepath.Join(g.cfg.Data, "snapshots") }

// learned returns a rig whose proxy has seen its key and was stopped.
func learned(t *testing.T) *rig {
	t.Helper()
	g := newRig(t, nil)
	g.requireChat(g.key, http.StatusOK, "")
	g.stop()
	return g
}

func TestAProxyStartsFromItsSnapshot(t *testing.T) {
	g := newRig(t, nil)
	ended := g.keyauth.add(&keyauthv1.KeySettings{})
	g.requireChat(g.key, http.StatusOK, "")
	g.requireChat(ended, http.StatusOK, "")
	g.keyauth.revoke(ended)
	require.Eventually(t, func() bool {
		res, _ := g.chat(ended)
		return res.StatusCode == http.StatusUnauthorized
	}, patience, time.Millisecond)
	g.stop()
	g.alone()

	res, body := g.call(http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Contains(t, body, `"degraded":["keyauth","router"]`)
	require.Contains(t, body, g.router.policy.Version())

	res, body = g.chat(g.key)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "fallback", res.Header.Get("X-Signalbox-Route"))
	r := g.record()
	require.Equal(t, "ROUTER_UNAVAILABLE", r.GetReason().GetCode())
	require.Equal(t, "test", r.GetKeyName())
	res, body = g.call(http.MethodPost, chatPath, strings.Replace(hello, "auto", "sandbox-large", 1))
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, "expected", res.Header.Get("X-Signalbox-Route"))

	// W-52
	g.requireChat(apikey.New(), http.StatusServiceUnavailable, "AUTH_UNAVAILABLE")
	g.requireChat(ended, http.StatusUnauthorized, "AUTH_INVALID_KEY")
}

// Changes during the downtime of the proxy come from the change log, where it continues.
func TestARestartedProxyGoesOnWhereItStopped(t *testing.T) {
	g := learned(t)
	g.keyauth.revoke(g.key)
	before := len(g.keyauth.watches()) // more than one if the machine is slow
	g.start()
	require.Equal(t, int64(1), g.keyauth.watches()[before])
	g.requireChat(g.key, http.StatusUnauthorized, "AUTH_INVALID_KEY")
	g.stop()
	g.alone()
	g.requireChat(g.key, http.StatusUnauthorized, "AUTH_INVALID_KEY")
}

func TestAStoredKeyIsVerifiedWhenTheServiceIsUp(t *testing.T) {
	g := learned(t)
	asked := g.keyauth.questions()
	g.start()
	g.requireChat(g.key, http.StatusOK, "")
	g.requireChat(g.key, http.StatusOK, "")
	require.Equal(t, asked+1, g.keyauth.questions())
}

func TestKeysAreForgottenAtTheHardAge(t *testing.T) {
	g := learned(t)
	dir, err := snapshot.Open(g.snapshots(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	known, ok := dir.LoadKeys()
	require.True(t, ok)
	require.Len(t, known.Known, 1)
	known.Known[0].Confirmed = time.Now().Add(-15 * time.Minute)
	require.NoError(t, dir.SaveKeys(known))
	g.alone()
	g.requireChat(g.key, http.StatusServiceUnavailable, "AUTH_UNAVAILABLE")
	res, body := g.call(http.MethodGet, "/readyz", "")
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.Contains(t, body, `"missing":["keys"]`)
}

func TestDamagedSnapshotsDoNotPreventAStart(t *testing.T) {
	g := learned(t)
	names := []string{"keys", "policy.json"}
	for _, name := range names {
		path := filepath.Join(g.snapshots(), name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		data[len(data)/2] ^= 1
		require.NoError(t, os.WriteFile(path, data, 0o600))
	}
	g.alone()
	g.requireChat(g.key, http.StatusServiceUnavailable, "AUTH_UNAVAILABLE")
	_, body := g.call(http.MethodGet, "/readyz", "")
	require.Contains(t, body, `"missing":["keys","policy"]`)
	for _, name := range names {
		require.FileExists(t, filepath.Join(g.snapshots(), name+".bad"))
	}
	g.stop()
	g.start()
	g.requireChat(g.key, http.StatusOK, "")
}
