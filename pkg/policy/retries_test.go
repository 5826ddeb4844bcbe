package policy_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

func defaultsOf(t *testing.T, text string) (policy.Defaults, []string) {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte("version: 1\ndefaults: "+text), cat)
	var problems policy.Problems
	if errors.As(err, &problems) {
		var all []string
		for _, f := range problems {
			all = append(all, f.Path+" "+f.Code)
		}
		return policy.Defaults{}, all
	}
	require.NoError(t, err)
	again, err := policy.Decode(p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p.Defaults, again.Defaults)
	return p.Defaults, nil
}

func TestRetriesAndBreaker(t *testing.T) {
	d, _ := defaultsOf(t, "{}")
	require.Equal(t, policy.DefaultRetries(), d.Retries)
	require.Equal(t, policy.Breaker{Window: 30 * time.Second, MinRequests: 10, ErrorRate: 500, OpenDuration: 15 * time.Second}, d.Breaker)
	for code := range map[apperr.Code]bool{apperr.ProviderTimeout: true, apperr.ProviderInvalidResponse: true, apperr.ProviderAuth: true} {
		require.True(t, d.Retries.AllowsAfter(policy.FailureForCode(code)), "unless it is written, a request goes on after %s", code)
	}

	d, _ = defaultsOf(t, "{retries: {max: 1, on: [server_error, connect]}, breaker: {window: 10s, min_requests: 3, error_rate: 0.25, open: 1m}}")
	require.Equal(t, policy.Retries{Max: 1, On: []policy.Failure{policy.FailConnect, policy.FailServerError}}, d.Retries, "in one order")
	require.False(t, d.Retries.AllowsAfter(policy.FailTimeout))
	require.Equal(t, policy.Breaker{Window: 10 * time.Second, MinRequests: 3, ErrorRate: 250, OpenDuration: time.Minute}, d.Breaker)

	d, _ = defaultsOf(t, "{retries: {on: []}}")
	require.False(t, d.Retries.AllowsAfter(policy.FailConnect))
	require.False(t, d.Retries.AllowsAfter(""), "what is the request's own fault is never tried again")
}

func TestFaultyRetriesAndBreaker(t *testing.T) {
	_, all := defaultsOf(t, `{retries: {max: 11, on: [conect, timeout, timeout]}, breaker: {window: 1ms, min_requests: 0, error_rate: 1.5, open: 1h, ope: 1}}`)
	require.ElementsMatch(t, []string{
		"defaults.retries.max BAD_VALUE", "defaults.retries.on[0] BAD_VALUE", "defaults.retries.on[2] DUPLICATE_ENTRY",
		"defaults.breaker.window BAD_VALUE", "defaults.breaker.min_requests BAD_VALUE", "defaults.breaker.error_rate BAD_VALUE",
		"defaults.breaker.open BAD_VALUE", "defaults.breaker.ope UNKNOWN_FIELD",
	}, all)
}

func TestTrips(t *testing.T) {
	b := policy.Breaker{MinRequests: 10, ErrorRate: 500}
	for _, tt := range []struct {
		failed, all int64
		want        bool
	}{{9, 9, false}, {10, 10, true}, {5, 10, true}, {4, 10, false}, {0, 10, false}} {
		require.Equal(t, tt.want, b.Trips(tt.failed, tt.all), tt)
	}
}

// A code without a failure class is the fault of the request or of the gateway.
func TestEveryProviderCodeHasAKind(t *testing.T) {
	for _, code := range []apperr.Code{apperr.ProviderBadRequest, apperr.ContentFiltered, apperr.RequestTooLarge, apperr.InvalidRequest, apperr.ClientCancelled, apperr.GatewayOverloaded, ""} {
		require.Empty(t, policy.FailureForCode(code), code)
	}
}
