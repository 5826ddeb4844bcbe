package sessionredis

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/proxy/internal/session"
	"github.com/signalbox/signalbox/services/proxy/internal/sessionkeeper"
)

// wrongBy returns a clock that differs from the clock of this machine.
func wrongBy(d time.Duration) sessionkeeper.Clock {
	started := time.Now()
	return func() (time.Time, time.Duration) { return time.Now().Round(0).Add(d), time.Since(started) }
}

// The clocks of proxies differ by minutes. The newest turn counts nevertheless, and every proxy
// sees the true age of the session and of its caches by its own clock.
func TestProxiesWithDifferentClocks(t *testing.T) {
	r, key := open(t, testenv.Redis(t)), session.KeyOf("acc", "s")
	offsets := []time.Duration{25 * time.Minute, -25 * time.Minute, 0, -2 * time.Hour, 2 * time.Hour}
	var keepers []*runningKeeper
	for _, d := range offsets {
		keepers = append(keepers, startKeeper(t, r, wrongBy(d)))
	}
	turns := int64(0)
	for round := range 3 {
		for i, k := range keepers {
			model := string(rune('a' + round*len(keepers) + i))
			k.Remember("acc", key, served(model, time.Time{}), false)
			turns++
			awaitTurns(t, r, key, turns)
			left, err := r.client.PTTL(t.Context(), r.key("acc", key)).Result()
			require.NoError(t, err)
			require.InDelta(t, session.IdleLifetime, left, float64(10*time.Second))
			for other, reader := range keepers {
				s := reader.View(t.Context(), "acc", key)
				require.NotNil(t, s)
				require.Equal(t, model, s.Last.Model, "turn of proxy %d at proxy %d", i, other)
				now := time.Now().Add(offsets[other])
				require.InDelta(t, session.IdleLifetime.Seconds(), time.UnixMilli(s.Expires).Sub(now).Seconds(), 10)
				q := s.Question(now)
				require.GreaterOrEqual(t, now.Unix(), q.LastAt)
				require.InDelta(t, 0, now.Unix()-q.LastAt, 10)
				require.InDelta(t, 300, q.Cached[0].Expires-now.Unix(), 10)
			}
		}
	}
}

// When the clock of Redis is set back, the stored turn lies in the future. A new one replaces it.
func TestAClockOfRedisThatIsSetBack(t *testing.T) {
	r, now := open(t, testenv.Redis(t)), time.Now()
	first := change("acc", "s", nil, served("first", now))
	save(t, r, first)
	require.NoError(t, r.client.HSet(t.Context(), r.key("acc", first.Key), "at", now.Add(time.Hour).UnixMilli()).Err())
	require.Equal(t, "first", load(t, r, "acc", first.Key).Last.Model)
	save(t, r, change("acc", "s", first.State, served("second", now.Add(time.Second))))
	require.Equal(t, "second", load(t, r, "acc", first.Key).Last.Model)
	save(t, r, change("acc", "s", nil, served("earlier", now.Add(-time.Minute))))
	require.Equal(t, "second", load(t, r, "acc", first.Key).Last.Model)
}
