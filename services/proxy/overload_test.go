package proxy_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/proxy"
)

func TestARequestDoesNotWaitForLong(t *testing.T) {
	g := newRig(t, func(c *proxy.Config) { c.MaxRequests = 1 })
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
	for i := range 29 {
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
