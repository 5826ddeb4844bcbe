package model

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErlangC(t *testing.T) {
	// With one server, a request waits as often as the server is busy.
	require.InDelta(t, 0.7, ErlangC(1, 0.7), 1e-9)
	// A value of Erlang's table: 10 servers, 8 erlangs.
	require.InDelta(t, 0.4092, ErlangC(10, 8), 1e-4)
	require.InDelta(t, 1, ErlangC(2, 2), 0)
	require.Less(t, ErlangC(1000, 900), 0.01, "no overflow")
}

func TestMeanWait(t *testing.T) {
	// M/M/1: utilisation / (1 - utilisation) of a service time.
	wait, stable := MeanWait(1, 700, 0.001)
	require.True(t, stable)
	require.InDelta(t, 0.001*0.7/0.3, wait, 1e-9)
	_, stable = MeanWait(1, 1000, 0.001)
	require.False(t, stable)
}

// TestMeanWaitLikeSimulation compares the formula with a simulated queue.
func TestMeanWaitLikeSimulation(t *testing.T) {
	const service = 0.001
	for _, c := range []struct {
		servers int
		load    float64
	}{{1, 0.5}, {1, 0.8}, {2, 0.8}, {8, 0.9}} {
		rate := c.load * float64(c.servers) / service
		want, _ := MeanWait(c.servers, rate, service)
		random := rand.New(rand.NewPCG(1, 2))
		exponential := simulate(c.servers, rate, func() float64 { return random.ExpFloat64() * service }, random)
		require.InEpsilon(t, want, exponential, 0.1, "%+v", c)
		constant := simulate(c.servers, rate, func() float64 { return service }, random)
		require.Less(t, constant, 0.7*want, "%+v: exponential times are the upper bound", c)
	}
}

// simulate returns the mean wait of many requests that are served in order.
func simulate(servers int, rate float64, service func() float64, random *rand.Rand) (mean float64) {
	const requests = 1_000_000
	free := make([]float64, servers)
	now, waited := 0.0, 0.0
	for range requests {
		now += random.ExpFloat64() / rate
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		began := max(now, free[first])
		waited += began - now
		free[first] = began + service()
	}
	return waited / requests
}
