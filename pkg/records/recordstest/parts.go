package recordstest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func carriesInOrder(t *testing.T, c carrier) {
	c.publish(t, entries("a", 1, 3))
	c.publish(t, entries("b", 1, 2))
	c.publish(t, entries("a", 4, 5))
	got := map[string][]records.Entry{}
	for _, e := range c.take(t, 7) {
		got[e.Producer] = append(got[e.Producer], e)
	}
	require.Equal(t, map[string][]records.Entry{"a": entries("a", 1, 5), "b": entries("b", 1, 2)}, got)
}

// A publisher reuses its buffers.
func keepsNothing(t *testing.T, c carrier) {
	mine := entries("a", 1, 2)
	c.publish(t, mine)
	for i := range mine {
		clear(mine[i].Record)
		mine[i] = records.Entry{}
	}
	require.Equal(t, entries("a", 1, 2), c.take(t, 2))
}

func publishesNothing(t *testing.T, c carrier) {
	c.publish(t, nil)
	c.publish(t, entries("a", 1, 1))
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	require.Equal(t, entries("a", 1, 1), b.Entries)
}

func provesAcknowledged(t *testing.T, c carrier) {
	require.Empty(t, c.committed(t, "a"))
	c.publish(t, entries("a", 1, 3))
	require.Empty(t, c.committed(t, "a"), "published is not stored")
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	require.Empty(t, c.committed(t, "a"), "delivered is not stored")
	require.NoError(t, b.Ack(c.ctx, map[string][]records.Range{"a": {{First: 1, Last: 3}}}))
	require.Equal(t, []records.Range{{First: 1, Last: 3}}, c.committed(t, "a"))
}

func addsUp(t *testing.T, c carrier) {
	c.publish(t, entries("a", 5, 6))
	c.take(t, 2)
	c.publish(t, entries("a", 1, 3))
	c.take(t, 3)
	require.Equal(t, []records.Range{{First: 1, Last: 3}, {First: 5, Last: 6}}, c.committed(t, "a"))
	c.publish(t, entries("a", 4, 4))
	c.take(t, 1)
	require.Equal(t, []records.Range{{First: 1, Last: 6}}, c.committed(t, "a"))
}

func provesEachProducer(t *testing.T, c carrier) {
	c.publish(t, append(entries("a", 1, 2), entries("b", 7, 9)...))
	c.take(t, 5)
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, c.committed(t, "a"))
	require.Equal(t, []records.Range{{First: 7, Last: 9}}, c.committed(t, "b"))
	require.Empty(t, c.committed(t, "c"))
}

func takesAckAgain(t *testing.T, c carrier) {
	c.publish(t, entries("a", 1, 2))
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, b.Ack(c.ctx, rangesOf(b.Entries)))
	}
	require.Equal(t, records.Merge(rangesOf(b.Entries)["a"]), c.committed(t, "a"))
}

func bringsAgain(t *testing.T, c carrier) {
	c.publish(t, entries("a", 1, 2))
	lost, err := c.Next(c.ctx)
	require.NoError(t, err)
	require.NotEmpty(t, lost.Entries)
	seen := map[uint64]int{}
	for _, e := range lost.Entries {
		seen[e.Seq]++
	}
	for seen[1] < 2 {
		b, err := c.Next(c.ctx)
		require.NoError(t, err, "entry 1 did not come again")
		for _, e := range b.Entries {
			require.Equal(t, entries("a", e.Seq, e.Seq)[0], e)
			seen[e.Seq]++
		}
	}
}

func bringsNoMore(t *testing.T, c carrier) {
	c.publish(t, entries("a", 1, 2))
	c.take(t, 2)
	c.publish(t, entries("a", 3, 3))
	require.Equal(t, entries("a", 3, 3), c.take(t, 1))
}

func stopsWaiting(t *testing.T, c carrier) {
	ctx, cancel := context.WithCancel(c.ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Next(ctx)
		ended <- err
	}()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	c.publish(t, entries("a", 1, 1))
	_, err := c.Next(c.ctx)
	require.NoError(t, err)
	_, err = c.Next(ctx)
	require.ErrorIs(t, err, context.Canceled, "also while something is there to come again")
}
