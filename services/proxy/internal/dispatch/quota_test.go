package dispatch_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

// limited returns a job whose providers have limits.
func limited(t *testing.T, u upstreams, one, two string) dispatch.Job {
	t.Helper()
	j := job(t, plainBody, u)
	cat, err := catalog.Load()
	require.NoError(t, err)
	text := strings.Replace(document, "one: {kind: openai,", "one: {kind: openai, limits: "+one+",", 1)
	text = strings.Replace(text, "two: {kind: openai,", "two: {kind: openai, limits: "+two+",", 1)
	j.Policy, err = policy.Compile([]byte(text), cat)
	require.NoError(t, err)
	j.Limits, err = limits.New(limits.Deps{})
	require.NoError(t, err)
	return j
}

func TestAProviderAtItsLimitIsPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := limited(t, upstreams{"one": answers(whole), "two": answers(whole)}, "{requests: 2}", "{}")
		tried := func() []string { return codes(dispatch.Run(t.Context(), j, &sink{}).Attempts) }
		require.Equal(t, []string{"small"}, tried())
		require.Equal(t, []string{"small"}, tried())
		require.Equal(t, []string{"small OVER_LIMIT", "large"}, tried(), "the record says why")
		<-time.After(30 * time.Second)
		require.Equal(t, []string{"small"}, tried(), "half of the limit after half a minute")
	})
}

func TestTokensOfAProviderCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := limited(t, upstreams{"one": answers(whole), "two": answers(whole)}, "{tokens: 6}", "{}")
		tried := func() []string { return codes(dispatch.Run(t.Context(), j, &sink{}).Attempts) }
		require.Equal(t, []string{"small"}, tried(), "what is longer than a minute allows waits for a whole one")
		require.Equal(t, []string{"small OVER_LIMIT", "large"}, tried())
		<-time.After(time.Minute)
		require.Equal(t, []string{"small"}, tried())
	})
}

func TestProviderLimitsAreEnforced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		j := limited(t, upstreams{"one": counted(answers(whole), &n), "two": counted(answers(whole), &n)}, "{requests: 1}", "{requests: 1}")
		for range 5 {
			dispatch.Run(t.Context(), j, &sink{})
		}
		require.Equal(t, 2, n)
		res := dispatch.Run(t.Context(), j, &sink{})
		err := apperr.From(res.Err)
		require.Equal(t, apperr.NoRouteAvailable, err.Code)
		require.Positive(t, err.RetryAfter)
		require.LessOrEqual(t, err.RetryAfter, time.Minute)
		require.Equal(t, []string{"small OVER_LIMIT", "large OVER_LIMIT"}, codes(res.Attempts))
	})
}

func TestAProviderSlotIsReleased(t *testing.T) {
	for name, one := range map[string]script{"served": answers(whole), "failed": fails(apperr.ProviderBadRequest)} {
		t.Run(name, func(t *testing.T) {
			j := limited(t, upstreams{"one": one, "two": answers(whole)}, "{concurrent: 1}", "{}")
			for range 3 {
				res := dispatch.Run(t.Context(), j, &sink{})
				require.True(t, res.Attempts[0].WasCalled())
			}
		})
	}
}
