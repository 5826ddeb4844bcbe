package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStation(t *testing.T) {
	s := Station{Fixed: 0.01, PerProxy: 0.002, PerRequest: 50e-6, PerVisit: 1, PerChange: 0.001, PerPush: 0.0001}
	load := Traffic{Proxies: 10, PerProxy: 1000, KeyChanges: 2}
	require.InDelta(t, 0.01+0.02+0.5+0.002+0.002, s.Work(load), 1e-9)
	require.Equal(t, 1, s.Needed(load, 0.7))
	load.Proxies = 100
	require.InDelta(t, 5.232, s.Work(load), 1e-9)
	require.Equal(t, 8, s.Needed(load, 0.7))
	_, stable := s.Wait(load, 5)
	require.False(t, stable)
	wait, stable := s.Wait(load, 8)
	require.True(t, stable)
	require.Positive(t, wait)

	at := s.Saturates(load)
	require.InDelta(t, 1, s.Fixed+load.KeyChanges*s.PerChange+at*(s.PerProxy+s.PerRequest*load.PerProxy+load.KeyChanges*s.PerPush), 1e-9)
	require.True(t, math.IsInf(Station{Fixed: 0.1}.Saturates(load), 1))
}

// A batch waits as long as batches take, not as long as one of its requests.
func TestStationWithBatches(t *testing.T) {
	load := Traffic{Proxies: 1, PerProxy: 1000}
	one, _ := Station{PerRequest: 0.0005, PerVisit: 1}.Wait(load, 1)
	batch, _ := Station{PerRequest: 0.0005, PerVisit: 100}.Wait(load, 1)
	require.InDelta(t, 100*one, batch, 1e-9)
}

func TestNeededIsExact(t *testing.T) {
	// 0.7 / 0.7 must not become two cores by rounding.
	require.Equal(t, 1, Station{Fixed: 0.7}.Needed(Traffic{}, 0.7))
	require.Equal(t, 2, Station{Fixed: 0.71}.Needed(Traffic{}, 0.7))
}
