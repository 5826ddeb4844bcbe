package breaker_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/breaker"
)

// world is a set with random events.
type world struct {
	t     *testing.T
	rand  *rand.Rand
	set   *breaker.Set
	under []breaker.Call
}

// In any order of events: an open breaker admits no call before its time, a half-open one never
// admits many at once, Force always works, and the breaker closes when calls succeed.
func TestRandomEvents(t *testing.T) {
	for seed := range uint64(300) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &world{t: t, rand: rand.New(rand.NewPCG(seed, 1)), set: breaker.NewSet()}
				for range 300 {
					w.happen()
				}
				w.settle()
			})
		})
	}
}

func (w *world) happen() {
	switch n := w.rand.IntN(10); {
	case n < 5:
		w.begin()
	case n < 9:
		w.end(breaker.Verdict(w.rand.IntN(7)), time.Duration(w.rand.IntN(3))*time.Second)
	default:
		<-time.After(time.Duration(w.rand.Int64N(int64(40 * time.Second))))
	}
}

func (w *world) begin() {
	before := w.set.Statuses()
	kind := breaker.Kind{Stream: w.rand.IntN(2) == 0, Retry: w.rand.IntN(4) == 0}
	c, answer, until := w.set.Admit(a, kind)
	switch answer {
	case breaker.Admitted:
		w.under = append(w.under, c)
		require.False(w.t, len(before) > 0 && before[0].Phase == breaker.Open, "before its time")
	case breaker.Unavailable:
		require.LessOrEqual(w.t, time.Until(until), policy.MaxOpen)
	case breaker.RetryBudgetSpent:
		require.True(w.t, kind.Retry, "a first call has no budget")
	case breaker.Degraded:
		require.False(w.t, kind.Retry, "a retry is never rejected as degraded")
		require.Equal(w.t, breaker.Closed, before[0].Phase)
	}
	if answer == breaker.Unavailable && w.rand.IntN(3) == 0 {
		c, answer := w.set.Force(a, breaker.Kind{Stream: kind.Stream})
		require.Equal(w.t, breaker.Admitted, answer)
		w.under = append(w.under, c)
	}
	if w.rand.IntN(3) == 0 && len(w.under) > 0 {
		w.under[len(w.under)-1].MarkAlive()
	}
	w.probe()
}

// probe returns how many more calls a half-open breaker admits.
func (w *world) probe() {
	if phase(w.set, a) != breaker.HalfOpen {
		return
	}
	var more []breaker.Call
	for range 10 {
		if c, answer, _ := w.set.Admit(a, breaker.Kind{}); answer == breaker.Admitted {
			more = append(more, c)
		}
	}
	require.LessOrEqual(w.t, len(more), 3)
	for _, c := range more {
		c.End(breaker.Inconclusive, 0)
	}
}

func (w *world) end(v breaker.Verdict, wait time.Duration) {
	if len(w.under) == 0 {
		return
	}
	i := w.rand.IntN(len(w.under))
	w.under[i].End(v, wait)
	w.under = append(w.under[:i], w.under[i+1:]...)
}

// settle ends all calls and makes the candidate succeed.
func (w *world) settle() {
	for len(w.under) > 0 {
		w.end(breaker.Inconclusive, 0)
	}
	<-time.After(policy.MaxOpen)
	require.Positive(w.t, calls(w.set, a, 1, breaker.Good))
	calls(w.set, a, 2, breaker.Good)
	require.Equal(w.t, breaker.Closed, phase(w.set, a))
	calls(w.set, a, 1, breaker.Failed)
	for range 3 {
		_, answer, _ := w.set.Admit(a, breaker.Kind{Retry: true})
		require.Equal(w.t, breaker.Admitted, answer, "the retry budget is free again")
	}
}
