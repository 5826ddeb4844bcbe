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
	small, large := decide.Target{Model: "small", Provider: "p"}, decide.Target{Model: "large", Provider: "p"}
	require.Nil(t, m.Last(c, now))
	m.Note(c, small, now.Add(time.Minute))
	require.Equal(t, &small, m.Last(c, now.Add(time.Minute)))
	require.Nil(t, m.Last(c, now.Add(time.Minute+1)))
	m.Note(c, large, now.Add(time.Hour))
	require.Equal(t, &large, m.Last(c, now))
	for _, other := range []Conversation{{"b", "auto", 7}, {"a", "other", 7}, {"a", "auto", 8}} {
		require.Nil(t, m.Last(other, now))
	}
}

func TestThereAreNeverTooMany(t *testing.T) {
	var m Memory
	now := time.Unix(1000, 0)
	for i := range uint64(3 * generation) {
		m.Note(Conversation{ID: i}, decide.Target{Model: "m"}, now)
	}
	require.LessOrEqual(t, len(m.young)+len(m.old), 2*generation)
	require.NotNil(t, m.Last(Conversation{ID: 3*generation - 1}, now))
	require.NotNil(t, m.Last(Conversation{ID: generation}, now), "the generation before is still there")
	require.Nil(t, m.Last(Conversation{ID: 0}, now))
}
