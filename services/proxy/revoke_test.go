package proxy_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// models asks for the list of models, which leaves no record, and returns the
// status.
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

// The answer to the first question about a key is read before the key is
// revoked and arrives after the proxy was told.
func TestAnAnswerThatARevocationOvertook(t *testing.T) {
	g := newRig(t, nil)
	known, unknown := g.key, g.keyauth.add(&keyauthv1.KeySettings{})
	g.requireModels(known, http.StatusOK)
	asked, release := g.keyauth.questions(), g.keyauth.hold()
	answer := make(chan int, 1)
	go func() { answer <- g.models(unknown) }()
	require.Eventually(t, func() bool { return g.keyauth.questions() > asked }, patience, time.Millisecond)
	g.keyauth.revoke(unknown)
	g.keyauth.revoke(known)
	g.becomes(known, http.StatusUnauthorized) // it is told in order
	release()
	require.Equal(t, http.StatusUnauthorized, <-answer)
	g.requireModels(unknown, http.StatusUnauthorized)
}

// A proxy that was cut off goes on with what it knows, hears of what it missed
// when it is back, and does not forget that when it is cut off again.
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
