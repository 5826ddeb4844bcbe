package proxy_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
)

// While all providers fail, they get few calls, and clients get an error that they may retry.
func TestAnOutageOfAllProvidersCostsFewCalls(t *testing.T) {
	w, spare := newPair(t, "20s")
	down := slices.Repeat([]scripted.Response{scripted.JSON(503, `{}`)}, 1000)
	w.up.Script(down...)
	spare.Script(down...)
	for range 5 { // more than min_requests of the policy
		require.GreaterOrEqual(t, w.ask(chatPath, plain("")).status, 500)
	}
	before, began := len(w.up.Received())+len(spare.Received()), time.Now()
	failedFast := 0
	for range 40 {
		a := w.ask(chatPath, plain(""))
		require.GreaterOrEqual(t, a.status, 500)
		require.Equal(t, "true", a.header.Get("X-Should-Retry"))
		if a.header.Get("X-Error-Code") == "NO_ROUTE_AVAILABLE" {
			require.Equal(t, http.StatusServiceUnavailable, a.status)
			require.NotEmpty(t, a.header.Get("Retry-After"))
			require.Equal(t, []string{"up BREAKER_OPEN", "spare BREAKER_OPEN"}, a.attempts())
			failedFast++
		}
	}
	calls := len(w.up.Received()) + len(spare.Received()) - before
	perProvider := 1 + int(time.Since(began)/(500*time.Millisecond)) // two forced calls per second
	probes := 2                                                      // a breaker may become half open meanwhile
	require.LessOrEqual(t, calls, 2*perProvider+probes)
	require.Positive(t, failedFast+calls/40, "on a slow machine every request may be a probe")
}
