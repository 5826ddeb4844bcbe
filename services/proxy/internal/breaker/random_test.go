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

// world is a set that anything may happen to.
type world struct {
	t     *testing.T
	rand  *rand.Rand
	set   *breaker.Set
	under []breaker.Call
}

// Whatever happens, in whatever order: a target that is out of use is not
// called before its time, never by many at once, can always be insisted on, and
// comes back when it answers.
func TestWhateverHappens(t *testing.T) {
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
	before := w.set.States()
	kind := breaker.Kind{Stream: w.rand.IntN(2) == 0, Retry: w.rand.IntN(4) == 0}
	c, answer, until := w.set.Ask(a, kind)
	switch answer {
	case breaker.Admitted:
		w.under = append(w.under, c)
		require.False(w.t, len(before) > 0 && before[0].Phase == breaker.Open, "before its time")
	case breaker.OutOfUse:
		require.LessOrEqual(w.t, time.Until(until), policy.LongestOpen)
	case breaker.OverBudget:
		require.True(w.t, kind.Retry, "a first call has no budget")
	case breaker.Strained:
		require.False(w.t, kind.Retry, "a retry spares nobody")
		require.Equal(w.t, breaker.Closed, before[0].Phase)
	}
	if answer == breaker.OutOfUse && w.rand.IntN(3) == 0 {
		c, answer := w.set.Insist(a, breaker.Kind{Stream: kind.Stream})
		require.Equal(w.t, breaker.Admitted, answer)
		w.under = append(w.under, c)
	}
	if w.rand.IntN(3) == 0 && len(w.under) > 0 {
		w.under[len(w.under)-1].Alive()
	}
	w.probe()
}

// probe finds how many more calls a half open target would take.
func (w *world) probe() {
	if phase(w.set, a) != breaker.HalfOpen {
		return
	}
	var more []breaker.Call
	for range 10 {
		if c, answer, _ := w.set.Ask(a, breaker.Kind{}); answer == breaker.Admitted {
			more = append(more, c)
		}
	}
	require.LessOrEqual(w.t, len(more), 3)
	for _, c := range more {
		c.End(breaker.Nothing, 0)
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

// settle ends everything and lets the target answer.
func (w *world) settle() {
	for len(w.under) > 0 {
		w.end(breaker.Nothing, 0)
	}
	<-time.After(policy.LongestOpen)
	require.Positive(w.t, calls(w.set, a, 1, breaker.Good))
	calls(w.set, a, 2, breaker.Good)
	require.Equal(w.t, breaker.Closed, phase(w.set, a))
	calls(w.set, a, 1, breaker.Failed)
	for range 3 {
		_, answer, _ := w.set.Ask(a, breaker.Kind{Retry: true})
		require.Equal(w.t, breaker.Admitted, answer, "nothing is left of the budget's use")
	}
}
