package affinity

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
)

func TestAConversationIsRememberedForItsTime(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	c := Conversation{Account: "a", Route: "auto", ID: 7}
	small, large := decide.Candidate{Model: "small", Provider: "p"}, decide.Candidate{Model: "large", Provider: "p"}
	require.Nil(t, m.LastCandidate(c, now))
	m.Remember(c, small, now.Add(time.Minute))
	require.Equal(t, &small, m.LastCandidate(c, now.Add(time.Minute)))
	require.Nil(t, m.LastCandidate(c, now.Add(time.Minute+1)))
	m.Remember(c, large, now.Add(time.Hour))
	require.Equal(t, &large, m.LastCandidate(c, now))
	for _, other := range []Conversation{{"b", "auto", 7}, {"a", "other", 7}, {"a", "auto", 8}} {
		require.Nil(t, m.LastCandidate(other, now))
	}
}

func TestThereAreNeverTooMany(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	for i := range uint64(3 * maxGeneration) {
		m.Remember(Conversation{ID: i}, decide.Candidate{Model: "m"}, now)
	}
	require.LessOrEqual(t, len(m.young)+len(m.old), 2*maxGeneration)
	require.NotNil(t, m.LastCandidate(Conversation{ID: 3*maxGeneration - 1}, now))
	require.NotNil(t, m.LastCandidate(Conversation{ID: maxGeneration}, now), "the generation before is still there")
	require.Nil(t, m.LastCandidate(Conversation{ID: 0}, now))
}
