package record_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func TestWhatIsMissingAndWhatIsOnItsWay(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	lately, long := now.Add(-10*time.Second), now.Add(-time.Minute)
	for name, c := range map[string]struct {
		give record.Producer
		want record.Meter
	}{
		"it never said anything":      {record.Producer{Highest: 9, Stored: 7}, record.Meter{Sent: 9, Stored: 7, Missing: 2}},
		"it has the rest":             {record.Producer{LastSeen: lately, Sent: 10, Held: 7, Highest: 8, Stored: 7, StoredBelow: 6}, record.Meter{Sent: 10, Stored: 7, InFlight: 3}},
		"it has no more of them":      {record.Producer{LastSeen: lately, Sent: 10, Held: 11, Highest: 8, Stored: 7, StoredBelow: 7}, record.Meter{Sent: 10, Stored: 7, Missing: 3}},
		"it has some of them":         {record.Producer{LastSeen: lately, Sent: 10, Held: 9, Highest: 10, Stored: 7, StoredBelow: 6}, record.Meter{Sent: 10, Stored: 7, InFlight: 1, Missing: 2}},
		"it is silent":                {record.Producer{LastSeen: long, Sent: 10, Held: 7, Highest: 8, Stored: 7, StoredBelow: 6}, record.Meter{Sent: 10, Stored: 7, Missing: 3}},
		"nothing of it arrived":       {record.Producer{LastSeen: long, Sent: 10, Held: 1}, record.Meter{Sent: 10, Missing: 10}},
		"some were damaged":           {record.Producer{LastSeen: lately, Sent: 10, Held: 11, Highest: 10, Stored: 8, StoredBelow: 8, Lost: 2}, record.Meter{Sent: 10, Stored: 8, Lost: 2}},
		"damage among what it has":    {record.Producer{LastSeen: lately, Sent: 10, Held: 1, Lost: 2}, record.Meter{Sent: 10, Lost: 2, InFlight: 8}},
		"more arrived than it told":   {record.Producer{LastSeen: lately, Sent: 10, Held: 9, Highest: 12, Stored: 11, StoredBelow: 8}, record.Meter{Sent: 12, Stored: 11, InFlight: 1}},
		"what was damaged came first": {record.Producer{LastSeen: lately, Sent: 3, Held: 4, Highest: 3, Stored: 3, StoredBelow: 3, Lost: 1, DeadLetters: 1}, record.Meter{Sent: 3, Stored: 3, Lost: 1, DeadLetters: 1}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.give.Meter(now)) })
	}
}

func TestTotalAddsUp(t *testing.T) {
	now := time.Now()
	all := []record.Producer{
		{LastSeen: now, Sent: 10, Held: 9, Highest: 10, Stored: 7, StoredBelow: 6},
		{Highest: 9, Stored: 7, DeadLetters: 1}, {LastSeen: now, Sent: 5, Held: 6, Highest: 5, Stored: 4, StoredBelow: 4, Lost: 1},
	}
	require.Equal(t, record.Meter{Sent: 24, Stored: 18, InFlight: 1, Missing: 4, Lost: 1, DeadLetters: 1}, record.Total(all, now))
}

// Gaps against plain sets of numbers.
func TestGapsAreWhatIsNotStored(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var stored []records.Range
		for range r.IntN(6) {
			first := 1 + r.Uint64N(30)
			stored = append(stored, records.Range{First: first, Last: first + r.Uint64N(8)})
		}
		stored = records.Merge(stored)
		last := r.Uint64N(40)
		gaps := record.Gaps(stored, last, 100)
		for n := uint64(0); n <= 45; n++ {
			want := n > 0 && n <= last && !records.Covers(stored, records.Range{First: n, Last: n})
			require.Equal(t, want, len(gaps) > 0 && records.Covers(gaps, records.Range{First: n, Last: n}), "%d of %v up to %d: %v", n, stored, last, gaps)
		}
		require.Equal(t, records.Merge(gaps), gaps, "sorted and apart")
		most := r.IntN(3)
		require.Equal(t, len(gaps[:min(most, len(gaps))]), len(record.Gaps(stored, last, most)))
	}
}
