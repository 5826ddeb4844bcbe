package replay_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

func TestAFrontierComparesTheSameRequests(t *testing.T) {
	var f replay.Frontier
	require.Empty(t, f.Points())
	f.Add(map[string]replay.Decision{"today": side("m", 100, 800, 0), "cheap": side("s", 10, 600, 0), "bad": side("x", 100, 700, 0)})
	f.Add(map[string]replay.Decision{"today": side("m", 50, 900, 0), "cheap": side("s", 5, 700, 0), "bad": side("x", 50, 700, 0)})
	f.Add(map[string]replay.Decision{"today": side("m", 1, 900, 0), "cheap": {Code: "POLICY_DENIED"}, "bad": side("x", 1, 1, 0)})
	unpriced := side("m", 0, 900, 0)
	unpriced.Cost = nil
	f.Add(map[string]replay.Decision{"today": unpriced, "cheap": side("s", 5, 700, 0), "bad": side("x", 1, 1, 0)})
	require.EqualValues(t, 2, f.Requests)
	require.EqualValues(t, 2, f.Skipped)
	require.Equal(t, []replay.Point{
		{Name: "cheap", Cost: 15, Quality: 650}, {Name: "today", Cost: 150, Quality: 850}, {Name: "bad", Cost: 150, Quality: 700, Dominated: true},
	}, f.Points())
	f.Add(map[string]replay.Decision{"today": side("m", 50, 900, 0), "cheap": side("s", 5, 700, 0), "bad": {}}, "bad")
	require.EqualValues(t, 3, f.Requests)
	require.Len(t, f.Points(), 2, "an optional position must have all requests")
}
