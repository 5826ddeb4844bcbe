package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// A request that ends in a panic returns what it had reserved: the budget and its slot.
func TestAPanicHoldsNothing(t *testing.T) {
	g := newRig(t)
	g.limits = limits.Set{Concurrent: 1, TokensPerMinute: 600}
	const hello = `{"model":"auto","messages":[{"role":"user","content":"hi"}]}`
	good := g.deps.Providers
	for _, status := range []int{http.StatusInternalServerError, http.StatusInternalServerError, http.StatusOK} {
		g.deps.Providers = good
		if status != http.StatusOK {
			g.deps.Providers = func(*policy.Policy) dispatch.Providers { panic("a fault") }
		}
		res, stop := g.post(t, hello)
		require.Equal(t, status, res.StatusCode, all(t, res))
		stop()
	}
}
