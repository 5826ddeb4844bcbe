package record_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

func TestCountDeliveries(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	lately, long := now.Add(-10*time.Second), now.Add(-time.Minute)
	for name, c := range map[string]struct {
		give record.Producer
		want record.DeliveryCounts
	}{
		"it never said anything":      {record.Producer{HighestSeq: 9, Stored: 7}, record.DeliveryCounts{Sent: 9, Stored: 7, Missing: 2}},
		"it has the rest":             {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 7, HighestSeq: 8, Stored: 7, StoredBelow: 6}, record.DeliveryCounts{Sent: 10, Stored: 7, InFlight: 3}},
		"it has no more of them":      {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 11, HighestSeq: 8, Stored: 7, StoredBelow: 7}, record.DeliveryCounts{Sent: 10, Stored: 7, Missing: 3}},
		"it has some of them":         {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 9, HighestSeq: 10, Stored: 7, StoredBelow: 6}, record.DeliveryCounts{Sent: 10, Stored: 7, InFlight: 1, Missing: 2}},
		"it is silent":                {record.Producer{LastSeen: long, Sent: 10, FirstHeld: 7, HighestSeq: 8, Stored: 7, StoredBelow: 6}, record.DeliveryCounts{Sent: 10, Stored: 7, Missing: 3}},
		"nothing of it arrived":       {record.Producer{LastSeen: long, Sent: 10, FirstHeld: 1}, record.DeliveryCounts{Sent: 10, Missing: 10}},
		"some were damaged":           {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 11, HighestSeq: 10, Stored: 8, StoredBelow: 8, Lost: 2}, record.DeliveryCounts{Sent: 10, Stored: 8, Lost: 2}},
		"damage among what it has":    {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 1, Lost: 2}, record.DeliveryCounts{Sent: 10, Lost: 2, InFlight: 8}},
		"more arrived than it told":   {record.Producer{LastSeen: lately, Sent: 10, FirstHeld: 9, HighestSeq: 12, Stored: 11, StoredBelow: 8}, record.DeliveryCounts{Sent: 12, Stored: 11, InFlight: 1}},
		"what was damaged came first": {record.Producer{LastSeen: lately, Sent: 3, FirstHeld: 4, HighestSeq: 3, Stored: 3, StoredBelow: 3, Lost: 1, DeadLetters: 1}, record.DeliveryCounts{Sent: 3, Stored: 3, Lost: 1, DeadLetters: 1}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.give.CountDeliveries(now)) })
	}
}

func TestSumDeliveries(t *testing.T) {
	now := time.Now()
	all := []record.Producer{
		{LastSeen: now, Sent: 10, FirstHeld: 9, HighestSeq: 10, Stored: 7, StoredBelow: 6},
		{HighestSeq: 9, Stored: 7, DeadLetters: 1}, {LastSeen: now, Sent: 5, FirstHeld: 6, HighestSeq: 5, Stored: 4, StoredBelow: 4, Lost: 1},
	}
	require.Equal(t, record.DeliveryCounts{Sent: 24, Stored: 18, InFlight: 1, Missing: 4, Lost: 1, DeadLetters: 1}, record.SumDeliveries(all, now))
}

// FindGaps must agree with a simple implementation on sets.
func TestFindGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var stored []records.Range
		for range r.IntN(6) {
			first := 1 + r.Uint64N(30)
			stored = append(stored, records.Range{First: first, Last: first + r.Uint64N(8)})
		}
		stored = records.MergeRanges(stored)
		last := r.Uint64N(40)
		gaps := record.FindGaps(stored, last, 100)
		for n := uint64(0); n <= 45; n++ {
			want := n > 0 && n <= last && !records.CoversRange(stored, records.Range{First: n, Last: n})
			require.Equal(t, want, len(gaps) > 0 && records.CoversRange(gaps, records.Range{First: n, Last: n}), "%d of %v up to %d: %v", n, stored, last, gaps)
		}
		require.Equal(t, records.MergeRanges(gaps), gaps, "sorted and apart")
		most := r.IntN(3)
		require.Equal(t, len(gaps[:min(most, len(gaps))]), len(record.FindGaps(stored, last, most)))
	}
}
