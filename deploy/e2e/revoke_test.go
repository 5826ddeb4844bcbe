package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
)

// madeKey is the API's response to the creation of a key.
type madeKey struct{ ID, Key string }

// makeKey creates a key with settings of the API.
func (a *APIClient) makeKey(settings map[string]any) madeKey {
	a.t.Helper()
	settings["name"] = "faults"
	var made madeKey
	status, body := a.Call(http.MethodPost, "/keys", settings, &made)
	require.Equal(a.t, http.StatusCreated, status, "%s", body)
	return made
}

func (a *APIClient) revoke(k madeKey) {
	a.t.Helper()
	status, body := a.Call(http.MethodDelete, "/keys/"+k.ID, nil, nil)
	require.Less(a.t, status, 300, "%s", body)
}

func (b *Gateway) requireStatusEverywhere(key string, status int) {
	b.t.Helper()
	for _, base := range b.Edges() {
		require.Equal(b.t, status, statusAt(b.t, base, key))
	}
}

func (b *Gateway) awaitStatusEverywhere(key string, status int) {
	b.t.Helper()
	for _, base := range b.Edges() {
		require.Eventually(b.t, func() bool { return statusAt(b.t, base, key) == status }, waitTimeout, pollInterval)
	}
}

// Every proxy accepts a key until it expires and not later.
func TestKeyExpiresToTheSecond(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		operator := box.SignInOperator()
		end := time.Now().Add(3 * time.Second)
		key := operator.makeKey(map[string]any{"expires_at": end})
		for _, base := range box.Edges() {
			useUntilExpired(t, base, key.Key, end)
		}
	})
}

// useUntilExpired uses a key until it is rejected: without a pause during the last
// moments before its end and after it.
func useUntilExpired(t *testing.T, base, key string, end time.Time) {
	t.Helper()
	for {
		began := time.Now()
		status := statusAt(t, base, key)
		if status == http.StatusUnauthorized {
			require.False(t, time.Now().Before(end), "refused before its end")
			return
		}
		require.Equal(t, http.StatusOK, status)
		require.True(t, began.Before(end), "accepted after its end")
		wait(min(10*pollInterval, time.Until(end)-10*pollInterval), nil)
	}
}

// A revocation that a client has seen still holds when the process is killed immediately
// afterwards.
func TestARevocationSurvivesKillNine(t *testing.T) {
	t.Parallel()
	box := Start(t)
	operator := box.SignInOperator()
	key := operator.makeKey(map[string]any{})
	box.awaitStatusEverywhere(key.Key, http.StatusOK)
	operator.revoke(key)
	box.awaitStatusEverywhere(key.Key, http.StatusUnauthorized)
	box.Kill()
	box = box.Restart()
	box.requireStatusEverywhere(key.Key, http.StatusUnauthorized)
	box.requireStatusEverywhere(box.Key, http.StatusOK)
}

// revocationSurvives kills the proxies immediately after the revocation reached them.
// They restart while keyauth hangs, so they have only their own snapshot.
func revocationSurvives(t *testing.T, box *Gateway, operator *APIClient) {
	known, ended, first := operator.makeKey(map[string]any{}), operator.makeKey(map[string]any{}), operator.makeKey(map[string]any{})
	for _, k := range []madeKey{known, ended, first} {
		box.awaitStatusEverywhere(k.Key, http.StatusOK)
	}
	end := time.Now().Add(10 * time.Second) // a busy machine may need seconds to make the key and use it everywhere
	ends := operator.makeKey(map[string]any{"expires_at": end})
	box.awaitStatusEverywhere(ends.Key, http.StatusOK)
	operator.revoke(first) // whatever is known is written down with it
	require.Eventually(t, func() bool { return box.hasStoredKey(known.ID) && box.hasStoredKey(ended.ID) }, waitTimeout, pollInterval)

	operator.revoke(ended)
	box.awaitStatusEverywhere(ended.Key, http.StatusUnauthorized)
	proceed := hangPart(t, box, "keyauth")
	box.replaceProxies()
	for range 20 {
		box.requireStatusEverywhere(known.Key, http.StatusOK)
		box.requireStatusEverywhere(ended.Key, http.StatusUnauthorized)
		box.requireStatusEverywhere(first.Key, http.StatusUnauthorized)
	}
	for _, base := range box.Proxies {
		useUntilExpired(t, base, ends.Key, end)
	}
	box.requireStatusEverywhere(apikey.New(), http.StatusServiceUnavailable)

	proceed()
	box.awaitStatusEverywhere(apikey.New(), http.StatusUnauthorized)
	box.requireStatusEverywhere(ended.Key, http.StatusUnauthorized)
	box.kill("keyauth")
	fresh := apikey.New()
	for range 20 {
		box.requireStatusEverywhere(ended.Key, http.StatusUnauthorized)
		box.requireStatusEverywhere(known.Key, http.StatusOK)
	}
	box.awaitStatusEverywhere(fresh, http.StatusUnauthorized)
	box.requireStatusEverywhere(ended.Key, http.StatusUnauthorized)
}

// replaceProxies kills all proxies and waits until they have been restarted.
func (b *Gateway) replaceProxies() {
	b.t.Helper()
	b.kill("proxy-1")
	b.kill("proxy-2")
	for _, base := range b.Proxies {
		require.Eventually(b.t, func() bool { return ready(b.t, base) }, waitTimeout, pollInterval)
	}
}

// hasStoredKey reports whether each proxy has a key in its snapshot on disk.
func (b *Gateway) hasStoredKey(id string) bool {
	for _, name := range []string{"proxy-1", "proxy-2"} {
		kept, _ := os.ReadFile(filepath.Join(readProcessEnv(b.pid(name), "SIGNALBOX_DATA"), "snapshots", "keys"))
		if !strings.Contains(string(kept), id) {
			return false
		}
	}
	return true
}
