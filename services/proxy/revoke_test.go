package proxy_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apikey"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// models requests the list of models, which creates no record, and returns the status.
func (g *rig) models(key string) int {
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.server.URL+"/proxy/v1/models", nil)
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func (g *rig) requireModels(key string, status int) {
	g.t.Helper()
	require.Equal(g.t, status, g.models(key))
}

func (g *rig) becomes(key string, status int) {
	g.t.Helper()
	require.Eventually(g.t, func() bool { return g.models(key) == status }, patience, time.Millisecond)
}

// The response to the first call about a key is read before the key is revoked, and arrives after the
// proxy has received the revocation.
func TestAResponseOlderThanTheRevocation(t *testing.T) {
	g := newRig(t, nil)
	known, unknown := g.key, g.keyauth.add(&keyauthv1.KeySettings{})
	g.requireModels(known, http.StatusOK)
	asked, release := g.keyauth.questions(), g.keyauth.hold()
	answer := make(chan int, 1)
	go func() { answer <- g.models(unknown) }()
	require.Eventually(t, func() bool { return g.keyauth.questions() > asked }, patience, time.Millisecond)
	g.keyauth.revoke(unknown)
	g.keyauth.revoke(known)
	g.becomes(known, http.StatusUnauthorized) // changes arrive in order
	release()
	require.Equal(t, http.StatusUnauthorized, <-answer)
	g.requireModels(unknown, http.StatusUnauthorized)
}

// A disconnected proxy serves from its cache, receives the missed changes when it is connected again,
// and still has them when it is disconnected once more.
func TestARevocationInAGapOfTheWatch(t *testing.T) {
	g := newRig(t, nil)
	ended, other := g.keyauth.add(&keyauthv1.KeySettings{}), g.keyauth.add(&keyauthv1.KeySettings{})
	g.requireModels(ended, http.StatusOK)
	g.requireModels(other, http.StatusOK)
	mend := g.keyauth.cut()
	g.keyauth.revoke(ended)
	g.requireModels(ended, http.StatusOK)
	mend()
	g.becomes(ended, http.StatusUnauthorized)
	mend = g.keyauth.cut()
	g.requireModels(ended, http.StatusUnauthorized)
	g.requireModels(other, http.StatusOK)
	mend()
	g.requireModels(ended, http.StatusUnauthorized)
	require.Contains(t, g.keyauth.watches(), int64(1), "it went on where it stopped")
}

func TestExpiryNeedsNoPush(t *testing.T) {
	g := newRig(t, nil)
	end := time.Now().Add(300 * time.Millisecond)
	key := g.keyauth.add(&keyauthv1.KeySettings{ExpiresAt: timestamppb.New(end)})
	asked := g.keyauth.questions()
	for {
		before := time.Now()
		status := g.models(key)
		if status == http.StatusUnauthorized {
			require.False(t, time.Now().Before(end), "refused before its end")
			break
		}
		require.Equal(t, http.StatusOK, status)
		require.True(t, before.Before(end), "accepted after its end")
	}
	require.Equal(t, asked+1, g.keyauth.questions(), "from memory")
}

func TestACrowdWithOneUnknownKeyIsOneQuestion(t *testing.T) {
	const crowd = 100
	g := newRig(t, nil)
	key, asked := g.keyauth.add(&keyauthv1.KeySettings{}), g.keyauth.questions()
	release := g.keyauth.hold()
	var wg sync.WaitGroup
	statuses := make([]int, crowd)
	for i := range crowd {
		wg.Go(func() { statuses[i] = g.models(key) })
	}
	require.Eventually(t, func() bool { return g.keyauth.questions() > asked }, patience, time.Millisecond)
	release()
	wg.Wait()
	for _, status := range statuses {
		require.Equal(t, http.StatusOK, status)
	}
	require.Equal(t, asked+1, g.keyauth.questions())
}

// change gives a key other settings and pushes the change.
func (k *keyauthServer) change(key string, edit func(*keyauthv1.Principal)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := proto.CloneOf(k.known[apikey.DigestOf(key)])
	edit(p)
	p.Version = k.head() + 1
	k.known[apikey.DigestOf(key)] = p
	k.log = append(k.log, &keyauthv1.KeyChange{Version: p.GetVersion(), AccountId: p.GetAccountId(), KeyId: p.GetKeyId(), Principal: p})
	close(k.changed)
	k.changed = make(chan struct{})
}

// killed restricts keys and returns the files on disk at the moment when that takes effect, as a
// killed proxy would leave them. The snapshot must not have been written in between; if it was, killed
// tries again with other keys.
func (g *rig) killed(happens func() (counts func() bool)) (data string) {
	g.t.Helper()
	for {
		counts := happens()
		before, err := os.ReadFile(filepath.Join(g.snapshots(), "keys"))
		require.NoError(g.t, err)
		require.Eventually(g.t, counts, patience, time.Millisecond)
		data = g.t.TempDir()
		// A change file that is gone was merged into a snapshot.
		err = os.CopyFS(filepath.Join(data, "snapshots"), os.DirFS(g.snapshots()))
		after, readErr := os.ReadFile(filepath.Join(g.snapshots(), "keys"))
		require.NoError(g.t, readErr)
		if err == nil && bytes.Equal(before, after) {
			return data
		}
	}
}

// settle adds a key without restrictions and returns when a snapshot has it.
func (g *rig) settle() string {
	g.t.Helper()
	key := g.keyauth.add(&keyauthv1.KeySettings{})
	g.requireModels(key, http.StatusOK)
	name := "settled " + key[9:20]
	g.keyauth.change(key, func(p *keyauthv1.Principal) { p.Settings.Name = name }) // so that a snapshot is written soon
	require.Eventually(g.t, func() bool {
		data, err := os.ReadFile(filepath.Join(g.snapshots(), "keys"))
		return err == nil && bytes.Contains(data, []byte(name))
	}, patience, time.Millisecond)
	return key
}

// A restriction of a key from before the proxy was killed still applies in the next process, even
// without the key service.
func TestAKeyRestrictionSurvivesAKill(t *testing.T) {
	past := timestamppb.New(time.Now().Add(-time.Second))
	for name, tt := range map[string]struct {
		edit   func(*keyauthv1.Principal)
		status int
		code   string
	}{
		"rotated without overlap": {func(p *keyauthv1.Principal) {
			p.State, p.Settings.ExpiresAt = keyauthv1.KeyState_KEY_STATE_EXPIRED, past
		}, http.StatusUnauthorized, "AUTH_INVALID_KEY"},
		"scopes narrowed": {func(p *keyauthv1.Principal) { p.Settings.Scopes = []string{"embeddings"} }, http.StatusForbidden, "AUTH_FORBIDDEN"},
		"models narrowed": {func(p *keyauthv1.Principal) { p.Settings.Models = []string{"sandbox-large"} }, http.StatusForbidden, "MODEL_NOT_ALLOWED"},
		"expiry nearer":   {func(p *keyauthv1.Principal) { p.Settings.ExpiresAt = past }, http.StatusUnauthorized, "AUTH_INVALID_KEY"},
		"revoked":         {func(p *keyauthv1.Principal) { p.State = keyauthv1.KeyState_KEY_STATE_REVOKED }, http.StatusUnauthorized, "AUTH_INVALID_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, nil)
			var key string
			data := g.killed(func() func() bool {
				key = g.settle()
				g.keyauth.change(key, tt.edit)
				return func() bool {
					res, body := g.small(key)
					return res.StatusCode == tt.status && strings.Contains(body, tt.code)
				}
			})
			g.stop()
			g.cfg.Data = data
			g.alone()
			res, body := g.small(key)
			require.Equal(t, tt.status, res.StatusCode, body)
			require.Contains(t, body, tt.code)
		})
	}
}

// small requests a model by its name.
func (g *rig) small(key string) (*http.Response, string) {
	g.t.Helper()
	return g.call(http.MethodPost, chatPath, strings.Replace(hello, "auto", "sandbox-small", 1), "Authorization: Bearer "+key)
}
