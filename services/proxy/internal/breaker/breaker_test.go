package breaker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

var (
	a = decide.Candidate{Model: "m", Provider: "a"}
	b = decide.Candidate{Model: "m", Provider: "b"}
)

// calls makes n calls with the given verdict, if they are admitted, and returns how many were.
func calls(s *breaker.Set, t decide.Candidate, n int, v breaker.Verdict) int {
	made := 0
	for range n {
		if c, answer, _ := s.Admit(t, breaker.Kind{}); answer == breaker.Admitted {
			made++
			c.End(v, 0)
		}
	}
	return made
}

func phase(s *breaker.Set, t decide.Candidate) breaker.Phase {
	for _, st := range s.Statuses() {
		if st.Candidate == t {
			return st.Phase
		}
	}
	return breaker.Closed
}

func TestAShareOfFailuresOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 6, breaker.Good)
		require.Equal(t, 5, calls(s, a, 5, breaker.Failed), "5 of 11 are not half")
		require.Equal(t, breaker.Closed, phase(s, a))
		require.Equal(t, 1, calls(s, a, 5, breaker.Failed), "6 of 12 are")
		require.Equal(t, breaker.Open, phase(s, a))
		require.Equal(t, breaker.Closed, phase(s, b), "only this breaker opens")
		require.False(t, s.IsAvailable(a))
		require.True(t, s.IsAvailable(b))
	})
}

func TestFewFailuresSayNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		for range 30 {
			require.Equal(t, 1, calls(s, a, 1, breaker.Failed))
			require.Equal(t, 1, calls(s, a, 1, breaker.Good), "one in a while that goes well ends the row")
			<-time.After(20 * time.Second)
		}
	})
}

func TestFailuresInARowOpenHoweverLongTheyTake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		for range 10 {
			require.Equal(t, 1, calls(s, a, 1, breaker.TimedOut))
			<-time.After(29 * time.Second)
		}
		require.Equal(t, breaker.HalfOpen, phase(s, a), "it was open for 15 of them")
	})
}

func TestOldFailuresAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 1, breaker.Good)
		require.Equal(t, 8, calls(s, a, 8, breaker.Failed))
		require.Equal(t, breaker.Closed, phase(s, a))
		<-time.After(31 * time.Second)
		calls(s, a, 1, breaker.Good)
		require.Equal(t, 5, calls(s, a, 5, breaker.Failed))
		require.Equal(t, breaker.Closed, phase(s, a))
	})
}

func TestItComesBackBySteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 10, breaker.Failed)
		_, answer, until := s.Admit(a, breaker.Kind{})
		require.Equal(t, breaker.Unavailable, answer)
		require.Equal(t, time.Now().Add(15*time.Second), until)
		<-time.After(15*time.Second - 1)
		require.Zero(t, calls(s, a, 1, breaker.Good))
		<-time.After(1)
		require.Equal(t, breaker.HalfOpen, phase(s, a))
		one, answer, _ := s.Admit(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer)
		require.Zero(t, calls(s, a, 3, breaker.Good), "one at a time")
		one.End(breaker.Good, 0)
		require.Equal(t, breaker.HalfOpen, phase(s, a))
		calls(s, a, 2, breaker.Good)
		require.Equal(t, breaker.Closed, phase(s, a))
		require.Equal(t, 9, calls(s, a, 9, breaker.Failed), "and begins anew")
	})
}

func TestEveryFailedProbeDoublesTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 10, breaker.Failed)
		for _, want := range []time.Duration{15, 30, 60, 120, 240, 300, 300} {
			<-time.After(want*time.Second - 1)
			require.Zero(t, calls(s, a, 1, breaker.Failed))
			<-time.After(1)
			require.Equal(t, 1, calls(s, a, 5, breaker.Failed), "one probe")
		}
		<-time.After(5 * time.Minute)
		calls(s, a, 3, breaker.Good)
		calls(s, a, 10, breaker.Failed)
		<-time.After(5*time.Minute - 1)
		require.Zero(t, calls(s, a, 1, breaker.Good), "what flaps is not forgiven at once")
		<-time.After(1)
		calls(s, a, 3, breaker.Good)
		<-time.After(5 * time.Minute)
		calls(s, a, 10, breaker.Failed)
		<-time.After(15 * time.Second)
		require.Equal(t, 1, calls(s, a, 1, breaker.Good), "but after a while it is")
	})
}

func TestFaultsOfTheRequestDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		require.Equal(t, 100, calls(s, a, 100, breaker.Inconclusive))
		for range 30 {
			require.Equal(t, 9, calls(s, a, 9, breaker.NotServed), "one caller's mistakes")
			require.Equal(t, 1, calls(s, a, 1, breaker.Good))
		}
		require.Equal(t, 10, calls(s, a, 20, breaker.NotServed), "a model that is never served counts as missing")
		<-time.After(15 * time.Second)
		require.Equal(t, 2, calls(s, a, 2, breaker.Inconclusive), "an inconclusive probe frees its slot")
		require.Equal(t, breaker.HalfOpen, phase(s, a))
	})
}

func TestALimitIsARestOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		limited := func(wait time.Duration) {
			c, answer, _ := s.Admit(a, breaker.Kind{})
			require.Equal(t, breaker.Admitted, answer)
			c.End(breaker.RateLimited, wait)
		}
		for _, tt := range []struct{ told, want time.Duration }{
			{7 * time.Second, 7 * time.Second}, {time.Hour, time.Minute},
			{0, 4 * time.Second}, {0, 8 * time.Second},
		} {
			limited(tt.told)
			require.True(t, s.Statuses()[0].RateLimited)
			<-time.After(tt.want - 1)
			require.Zero(t, calls(s, a, 1, breaker.Good))
			<-time.After(1)
		}
		require.Equal(t, 1, calls(s, a, 1, breaker.Good), "one that goes well is enough")
		require.Equal(t, breaker.Closed, phase(s, a))
		limited(0)
		<-time.After(time.Second)
		require.Equal(t, 20, calls(s, a, 20, breaker.Good))
		c, _, _ := s.Admit(a, breaker.Kind{})
		c.End(breaker.Failed, 3*time.Second)
		require.Equal(t, breaker.Open, phase(s, a), "Retry-After is respected")
	})
}

func TestOurOwnNetworkFailureDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		require.Equal(t, 100, calls(s, a, 100, breaker.Unreachable))
		require.Equal(t, 100, calls(s, b, 100, breaker.Unreachable))
		calls(s, b, 1, breaker.Good)
		require.Equal(t, 10, calls(s, a, 100, breaker.Unreachable), "others are reached")
		<-time.After(31 * time.Second)
		require.Equal(t, 2, calls(s, a, 2, breaker.Unreachable), "an unreachable probe is inconclusive while no provider is reachable")
	})
}

func TestCallsOfAnOlderGenerationDoNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		var old []breaker.Call
		for range 50 {
			c, _, _ := s.Admit(a, breaker.Kind{})
			old = append(old, c)
		}
		calls(s, a, 10, breaker.Failed)
		<-time.After(15 * time.Second)
		probe, answer, _ := s.Admit(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer)
		for _, c := range old {
			c.End(breaker.TimedOut, 0)
		}
		probe.End(breaker.Good, 0)
		calls(s, a, 2, breaker.Good)
		require.Equal(t, breaker.Closed, phase(s, a))
	})
}

func TestForceIgnoresAnOpenBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 10, breaker.Failed)
		insist := func(v breaker.Verdict) {
			c, answer := s.Force(a, breaker.Kind{})
			require.Equal(t, breaker.Admitted, answer)
			c.End(v, 0)
		}
		for range 100 {
			insist(breaker.Failed)
		}
		_, _, until := s.Admit(a, breaker.Kind{})
		require.Equal(t, time.Now().Add(15*time.Second), until, "the open time does not grow")
		for range 3 {
			insist(breaker.Good)
		}
		require.Equal(t, breaker.Closed, phase(s, a), "the breaker closes after a success")
	})
}

// A candidate that is known to be down gets few forced calls. One that succeeds ends that.
func TestForcedCallsToADeadCandidateAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 10, breaker.Failed)
		force := func(v breaker.Verdict) bool {
			c, answer, until := s.ForceSparingly(a, breaker.Kind{})
			if answer != breaker.Admitted {
				require.Equal(t, breaker.Unavailable, answer)
				require.True(t, until.After(time.Now()))
				return false
			}
			c.End(v, 0)
			return true
		}
		made := 0
		for range 100 {
			if force(breaker.Failed) {
				made++
			}
			<-time.After(100 * time.Millisecond)
		}
		require.Equal(t, 20, made, "two per second")
		c, answer, _ := s.ForceSparingly(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer)
		require.False(t, force(breaker.Good), "not while the last one has no result")
		c.End(breaker.Inconclusive, 0)
		require.False(t, force(breaker.Good), "nor if it shows nothing")
		<-time.After(500 * time.Millisecond)
		for range 2 {
			require.True(t, force(breaker.Good))
		}
		require.Equal(t, breaker.Open, phase(s, a))
		for range 10 {
			require.True(t, force(breaker.Failed), "one failure proves little")
		}
		require.False(t, force(breaker.Good))
		<-time.After(500 * time.Millisecond)
		require.True(t, force(breaker.RateLimited))
		require.True(t, force(breaker.Good), "a provider that limits the rate is up")
	})
}

// A recovered provider may take long to respond. The first data of a stream, or a call that does
// not fail as fast as before, lets further calls through.
func TestForcedCallsAreFreeOnceOneShowsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		isForced := func() bool {
			c, answer, _ := s.ForceSparingly(a, breaker.Kind{})
			if answer == breaker.Admitted {
				c.End(breaker.Inconclusive, 0)
			}
			return answer == breaker.Admitted
		}
		calls(s, a, 10, breaker.Failed)
		<-time.After(500 * time.Millisecond)
		slow, answer, _ := s.ForceSparingly(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer)
		require.False(t, isForced())
		<-time.After(500 * time.Millisecond)
		require.True(t, isForced())
		require.True(t, isForced(), "the slow call has not failed")
		slow.End(breaker.Failed, 0)
		require.False(t, isForced(), "it failed after all")

		<-time.After(500 * time.Millisecond)
		stream, answer, _ := s.ForceSparingly(a, breaker.Kind{Stream: true})
		require.Equal(t, breaker.Admitted, answer)
		require.False(t, isForced())
		stream.MarkAlive()
		require.True(t, isForced())
		require.True(t, isForced())
		stream.End(breaker.Good, 0)
	})
}

// The provider responds, so it is up, whatever callers ask of it.
func TestWrongModelsDoNotLimitForcedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		calls(s, a, 20, breaker.NotServed)
		require.Equal(t, breaker.Open, phase(s, a))
		for range 10 {
			c, answer, _ := s.ForceSparingly(a, breaker.Kind{})
			require.Equal(t, breaker.Admitted, answer)
			c.End(breaker.NotServed, 0)
		}
	})
}

func TestSilenceIsNoticedBeforeTheTimeout(t *testing.T) {
	for _, kind := range []breaker.Kind{{}, {Stream: true}} {
		synctest.Test(t, func(t *testing.T) {
			s := breaker.NewSet()
			begin := func() breaker.Admission {
				_, answer, _ := s.Admit(a, kind)
				<-time.After(100 * time.Millisecond)
				return answer
			}
			for range 15 {
				require.Equal(t, breaker.Admitted, begin(), "how long it takes is not known yet")
			}
			c, _, _ := s.Admit(a, kind)
			<-time.After(time.Second)
			c.MarkAlive()
			c.End(breaker.Good, 0)
			<-time.After(time.Hour)
			for range 40 {
				require.Equal(t, breaker.Admitted, begin(), "less than four times the usual")
			}
			require.Equal(t, breaker.Unavailable, begin())
		})
	}
}

func TestRetriesHaveABudget(t *testing.T) {
	s := breaker.NewSet()
	retry := breaker.Kind{Retry: true}
	taken := func(t decide.Candidate) (all []breaker.Call) {
		for len(all) < 50 {
			c, answer, _ := s.Admit(t, retry)
			if answer != breaker.Admitted {
				break
			}
			all = append(all, c)
		}
		return all
	}
	sound := taken(a)
	require.Len(t, sound, 50, "a healthy candidate has no retry budget")
	for _, c := range sound {
		c.End(breaker.Good, 0)
	}
	calls(s, a, 8, breaker.Failed)
	few := taken(a)
	require.Len(t, few, 10)
	for range 90 {
		_, answer, _ := s.Admit(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer, "first calls have none")
	}
	require.Len(t, taken(a), 12, "a fifth of those under way, retries included")
	_, answer := s.Force(a, retry)
	require.Equal(t, breaker.RetryBudgetSpent, answer)
	few[0].End(breaker.Inconclusive, 0)
	require.Len(t, taken(a), 1)
}

func TestASetFollowsThePolicy(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(`version: 1
providers: {a: {kind: openai, base_url: "https://a.example/v1"}}
models: {m: {endpoints: [{provider: a, model: x}]}}
defaults: {breaker: {min_requests: 2}}
`), cat)
	require.NoError(t, err)
	s := breaker.NewSet()
	calls(s, a, 1, breaker.Good)
	calls(s, b, 1, breaker.Good)
	s.ApplyPolicy(p)
	require.Len(t, s.Statuses(), 1)
	require.Equal(t, 1, calls(s, a, 5, breaker.Failed), "one of two is half")
}

// A candidate that fails more often than one time in five, but too rarely to open its breaker, is
// degraded. Failures then stay below a fifth of its requests.
func TestAFrequentlyFailingCandidateIsDegraded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := breaker.NewSet()
		run := func(of int) (failed, spared int) {
			for n := range 1000 {
				c, answer, _ := s.Admit(a, breaker.Kind{})
				switch {
				case answer == breaker.Degraded:
					spared++
				case n*7%of < of*2/5:
					failed++
					c.End(breaker.Failed, 0)
				default:
					c.End(breaker.Good, 0)
				}
				<-time.After(50 * time.Millisecond)
			}
			return failed, spared
		}
		failed, spared := run(5)
		require.InDelta(t, 200, failed, 15)
		require.Positive(t, spared)
		require.False(t, s.IsHealthy(a))
		require.True(t, s.IsHealthy(b), "a candidate without calls is healthy")
		_, answer, _ := s.Admit(a, breaker.Kind{Retry: true})
		require.Equal(t, breaker.Admitted, answer, "others have failed by then")
		_, answer = s.Force(a, breaker.Kind{})
		require.Equal(t, breaker.Admitted, answer)
		_, spared = run(1000000)
		require.LessOrEqual(t, spared, 100, "the debt decreases after a recovery")
	})
}
