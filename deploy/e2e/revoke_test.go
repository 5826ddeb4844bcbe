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

// madeKey is what the API tells of a new key.
type madeKey struct{ ID, Key string }

// makeKey makes a key; settings are those of the API.
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

// edges are the addresses at which keys must mean the same.
func (b *Gateway) edges() []string {
	if len(b.Proxies) > 0 {
		return b.Proxies
	}
	return []string{b.Base}
}

func (b *Gateway) everywhere(key string, status int) {
	b.t.Helper()
	for _, base := range b.edges() {
		require.Equal(b.t, status, statusAt(b.t, base, key))
	}
}

func (b *Gateway) becomes(key string, status int) {
	b.t.Helper()
	for _, base := range b.edges() {
		require.Eventually(b.t, func() bool { return statusAt(b.t, base, key) == status }, waitTimeout, pollInterval)
	}
}

// A key is accepted up to its end and not after it, wherever it is used.
func TestAKeyEndsToTheSecond(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		end := time.Now().Add(2 * time.Second)
		key := box.SignInOperator().makeKey(map[string]any{"expires_at": end})
		for _, base := range box.edges() {
			untilItEnds(t, base, key.Key, end)
		}
	})
}

// untilItEnds uses a key until it is refused.
func untilItEnds(t *testing.T, base, key string, end time.Time) {
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
	}
}

// A revocation that a client has seen holds after the process was killed the
// moment after.
func TestARevocationSurvivesKillNine(t *testing.T) {
	box := Start(t)
	operator := box.SignInOperator()
	key := operator.makeKey(map[string]any{})
	box.becomes(key.Key, http.StatusOK)
	operator.revoke(key)
	box.becomes(key.Key, http.StatusUnauthorized)
	box.Kill()
	box = box.Restart()
	box.everywhere(key.Key, http.StatusUnauthorized)
	box.everywhere(box.Key, http.StatusOK)
}

// revocationSurvives kills the proxies the moment after they were told, and they
// come back while keyauth hangs: they have nobody to ask but their own memory.
func revocationSurvives(t *testing.T, box *Gateway, operator *APIClient) {
	known, ended, first := operator.makeKey(map[string]any{}), operator.makeKey(map[string]any{}), operator.makeKey(map[string]any{})
	end := time.Now().Add(6 * time.Second)
	ends := operator.makeKey(map[string]any{"expires_at": end})
	for _, k := range []madeKey{known, ended, first, ends} {
		box.becomes(k.Key, http.StatusOK)
	}
	operator.revoke(first) // whatever is known is written down with it
	require.Eventually(t, func() bool { return box.remembers(known.ID) && box.remembers(ended.ID) }, waitTimeout, pollInterval)

	operator.revoke(ended)
	box.becomes(ended.Key, http.StatusUnauthorized)
	proceed := hangs(t, box, "keyauth")
	box.replaceProxies()
	for range 20 {
		box.everywhere(known.Key, http.StatusOK)
		box.everywhere(ended.Key, http.StatusUnauthorized)
		box.everywhere(first.Key, http.StatusUnauthorized)
	}
	for _, base := range box.Proxies {
		untilItEnds(t, base, ends.Key, end)
	}
	box.everywhere(apikey.New(), http.StatusServiceUnavailable)

	proceed()
	box.becomes(apikey.New(), http.StatusUnauthorized)
	box.everywhere(ended.Key, http.StatusUnauthorized)
	box.kill("keyauth")
	fresh := apikey.New()
	for range 20 {
		box.everywhere(ended.Key, http.StatusUnauthorized)
		box.everywhere(known.Key, http.StatusOK)
	}
	box.becomes(fresh, http.StatusUnauthorized)
	box.everywhere(ended.Key, http.StatusUnauthorized)
}

// replaceProxies kills all proxies and waits for their successors.
func (b *Gateway) replaceProxies() {
	b.t.Helper()
	b.kill("proxy-1")
	b.kill("proxy-2")
	for _, base := range b.Proxies {
		require.Eventually(b.t, func() bool { return ready(b.t, base) }, waitTimeout, pollInterval)
	}
}

// remembers reports whether each proxy has a key on its disk.
func (b *Gateway) remembers(id string) bool {
	for _, name := range []string{"proxy-1", "proxy-2"} {
		kept, _ := os.ReadFile(filepath.Join(setting(b.pid(name), "SIGNALBOX_DATA"), "snapshots", "keys"))
		if !strings.Contains(string(kept), id) {
			return false
		}
	}
	return true
}
