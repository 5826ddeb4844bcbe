package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

var atA, atB = decide.Candidate{Model: "m", Provider: "a"}, decide.Candidate{Model: "m", Provider: "b"}

// reported returns an engine that has received n outcomes of a candidate.
func reported(t *testing.T, target decide.Candidate, code apperr.Code, n int) *engine.Engine {
	t.Helper()
	e, err := open(t, forgetful{}, twoPlaces)
	require.NoError(t, err)
	reports(e, target, code, n)
	return e
}

func reports(e *engine.Engine, target decide.Candidate, code apperr.Code, n int) {
	for range n {
		e.Report(engine.Outcome{Candidate: target, Code: code})
	}
}

func plan(t *testing.T, e *engine.Engine) *decide.Decision {
	t.Helper()
	d, err := e.Decide(decide.Question{Kind: catalog.Chat, Model: "m"}, "")
	require.NoError(t, err)
	return d
}

func TestWhatFailsEverywhereIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, apperr.ProviderOverloaded, 9)
		require.Equal(t, atA, plan(t, e).Plan[0], "few say nothing")
		reports(e, atA, apperr.ProviderConnection, 1)
		d := plan(t, e)
		require.Equal(t, []decide.Candidate{atB}, d.Plan)
		require.Equal(t, atA, d.HealthyFirst, "in a healthy world")
		require.Equal(t, decide.Unhealthy, d.Verdicts[0].Code)
		require.Contains(t, d.Verdicts[0].Text, "10 of 10 attempts of all proxies failed in the last 30s")
		_, all := e.Status()
		require.NotEmpty(t, all[0].DownReason)
		require.Empty(t, all[1].DownReason)

		wait(15 * time.Second)
		require.Equal(t, atA, plan(t, e).Plan[0], "the proxies may try it")
		reports(e, atA, apperr.ProviderOverloaded, 1)
		require.Equal(t, atB, plan(t, e).Plan[0], "and report")
		wait(15 * time.Second)
		reports(e, atA, "", 1)
		require.Equal(t, atA, plan(t, e).Plan[0])
	})
}

func TestWhatRecoversIsUpAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, apperr.ProviderUpstream, 10)
		reports(e, atA, "", 10)
		require.Equal(t, atB, plan(t, e).Plan[0], "half is too much")
		reports(e, atA, "", 1)
		require.Equal(t, atA, plan(t, e).Plan[0])
	})
}

// A success while the failure rate is still high must not prolong the time for which the
// candidate is down.
func TestASuccessDoesNotProlongDowntime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, apperr.ProviderUpstream, 10)
		wait(10 * time.Second)
		reports(e, atA, "", 1)
		require.Equal(t, atB, plan(t, e).Plan[0], "10 of 11 attempts failed")
		wait(5 * time.Second)
		require.Equal(t, atA, plan(t, e).Plan[0], "15 s after the last failure")
	})
}

func TestOldFailuresAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, apperr.ProviderUpstream, 9)
		wait(31 * time.Second)
		reports(e, atA, apperr.ProviderUpstream, 9)
		require.Equal(t, atA, plan(t, e).Plan[0])
	})
}

func TestOutcomesThatTakeNothingDown(t *testing.T) {
	for _, code := range []apperr.Code{
		"", apperr.ProviderRateLimited, apperr.ProviderModelUnavailable, apperr.ProviderBadRequest, apperr.ContextLengthExceeded,
		apperr.UnsupportedParameter, apperr.ClientCancelled, apperr.Internal, "SOMETHING_NEW",
	} {
		synctest.Test(t, func(t *testing.T) {
			require.Equal(t, atA, plan(t, reported(t, atA, code, 100)).Plan[0], code)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, apperr.ProviderUpstream, 10)
		reports(e, atB, apperr.ProviderUpstream, 10)
		require.NotEmpty(t, plan(t, e).Plan, "what is down is better than nothing")
	})
}

func TestLatencyFollowsWhatIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, "", 1)
		latency := func() int64 { _, all := e.Status(); return all[0].Latency }
		tell := func(d time.Duration) { e.Report(engine.Outcome{Candidate: atA, FirstToken: d}) }
		require.Zero(t, latency())
		tell(800 * time.Millisecond)
		require.Equal(t, int64(800_000), latency())
		require.Equal(t, int64(800_000), plan(t, e).Verdicts[0].Latency)
		tell(0)
		e.Report(engine.Outcome{Candidate: atA, Code: apperr.ProviderTimeout, FirstToken: time.Hour})
		require.Equal(t, int64(800_000), latency(), "a failure measures nothing")
		tell(1600 * time.Millisecond)
		require.Equal(t, int64(900_000), latency())
		for range 100 {
			tell(100 * time.Millisecond)
		}
		require.InDelta(t, 100_000, latency(), 1000)
		wait(10*time.Minute + 1)
		require.Zero(t, latency(), "nobody knows any more")
		tell(time.Second)
		require.Equal(t, int64(1_000_000), latency())
	})
}

func TestOnlyStreamsMeasureTheFirstToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := reported(t, atA, "", 1)
		measured := func() [2]int64 { _, all := e.Status(); return [2]int64{all[0].Latency, all[0].FirstToken} }
		e.Report(engine.Outcome{Candidate: atA, Duration: 4 * time.Second})
		require.Equal(t, [2]int64{4_000_000, 0}, measured(), "without a stream, the complete response is compared")
		e.Report(engine.Outcome{Candidate: atA, FirstToken: 200 * time.Millisecond, Duration: 3 * time.Second})
		e.Report(engine.Outcome{Candidate: atA, Duration: 4 * time.Second})
		require.Equal(t, [2]int64{200_000, 200_000}, measured(), "a response without a stream does not change the first token")
	})
}
