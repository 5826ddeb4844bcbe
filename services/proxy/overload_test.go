package proxy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

func TestARequestWaitsForASlot(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests, c.QueueRequests, c.QueueWait = 1, 1, patience })
	held := g.hold(len(hello))
	statuses := make(chan int, 2)
	for range 2 {
		key := g.keyauth.addTo("other", nil, &keyauthv1.KeySettings{})
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.server.URL+chatPath, nil)
			if err != nil {
				return
			}
			req.Header.Set("Authorization", "Bearer "+key)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return
			}
			_ = res.Body.Close()
			statuses <- res.StatusCode
		}()
	}
	require.Equal(t, http.StatusServiceUnavailable, <-statuses, "only one may wait")
	held.say(hello)
	res, _ := held.answer()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, http.StatusBadRequest, <-statuses, "let in, and found empty")
}

func TestARequestDoesNotWaitForLong(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests, c.QueueRequests, c.QueueWait = 1, 1, time.Millisecond })
	g.hold(len(hello))
	g.key = g.keyauth.addTo("other", nil, &keyauthv1.KeySettings{})
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode, body)
	require.Equal(t, "GATEWAY_OVERLOADED", g.record().GetCode())
}

// However many requests one account has in progress, another account gets a slot.
func TestANoisyAccountLeavesSlotsForOthers(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests = 32 })
	quiet := g.keyauth.addTo("quiet", nil, &keyauthv1.KeySettings{})
	noisy := []string{g.key, g.keyauth.add(&keyauthv1.KeySettings{})}
	g.key = quiet
	res, body := g.call(http.MethodPost, chatPath, hello)
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	g.record()
	for i := range 30 {
		g.key = noisy[i%2]
		g.hold(len(hello))
	}
	for key, status := range map[string]int{g.keyauth.add(&keyauthv1.KeySettings{}): http.StatusServiceUnavailable, quiet: http.StatusOK} {
		g.key = key
		res, body := g.call(http.MethodPost, chatPath, hello)
		require.Equal(t, status, res.StatusCode, body)
		g.record()
	}
}
