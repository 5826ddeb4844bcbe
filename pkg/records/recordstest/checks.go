package recordstest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func deliversInOrder(t *testing.T, c transport) {
	c.publish(t, entries(prodA, 1, 3))
	c.publish(t, entries(prodB, 1, 2))
	c.publish(t, entries(prodA, 4, 5))
	got := map[string][]records.Entry{}
	for _, e := range c.take(t, 7) {
		got[e.Producer] = append(got[e.Producer], e)
	}
	require.Equal(t, map[string][]records.Entry{prodA: entries(prodA, 1, 5), prodB: entries(prodB, 1, 2)}, got)
}

// retainsNoMemory checks that a transport does not retain the publisher's buffers, because publishers
// reuse them.
func retainsNoMemory(t *testing.T, c transport) {
	mine := entries(prodA, 1, 2)
	c.publish(t, mine)
	for i := range mine {
		clear(mine[i].Record)
		mine[i] = records.Entry{}
	}
	require.Equal(t, entries(prodA, 1, 2), c.take(t, 2))
}

func acceptsEmptyPublish(t *testing.T, c transport) {
	c.publish(t, nil)
	c.publish(t, entries(prodA, 1, 1))
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	require.Equal(t, entries(prodA, 1, 1), b.Entries)
}

func reportsOnlyAcknowledged(t *testing.T, c transport) {
	require.Empty(t, c.committed(t, prodA))
	c.publish(t, entries(prodA, 1, 3))
	require.Empty(t, c.committed(t, prodA), "published is not stored")
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	require.Empty(t, c.committed(t, prodA), "delivered is not stored")
	require.NoError(t, b.Ack(c.ctx, map[string][]records.Range{prodA: {{First: 1, Last: 3}}}))
	require.Equal(t, []records.Range{{First: 1, Last: 3}}, c.committed(t, prodA))
}

func mergesCommitted(t *testing.T, c transport) {
	c.publish(t, entries(prodA, 5, 6))
	c.take(t, 2)
	c.publish(t, entries(prodA, 1, 3))
	c.take(t, 3)
	require.Equal(t, []records.Range{{First: 1, Last: 3}, {First: 5, Last: 6}}, c.committed(t, prodA))
	c.publish(t, entries(prodA, 4, 4))
	c.take(t, 1)
	require.Equal(t, []records.Range{{First: 1, Last: 6}}, c.committed(t, prodA))
}

func separatesProducers(t *testing.T, c transport) {
	c.publish(t, append(entries(prodA, 1, 2), entries(prodB, 7, 9)...))
	c.take(t, 5)
	require.Equal(t, []records.Range{{First: 1, Last: 2}}, c.committed(t, prodA))
	require.Equal(t, []records.Range{{First: 7, Last: 9}}, c.committed(t, prodB))
	require.Empty(t, c.committed(t, prodC))
}

func acceptsRepeatedAck(t *testing.T, c transport) {
	c.publish(t, entries(prodA, 1, 2))
	b, err := c.Next(c.ctx)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, b.Ack(c.ctx, rangesOf(b.Entries)))
	}
	require.Equal(t, records.MergeRanges(rangesOf(b.Entries)[prodA]), c.committed(t, prodA))
}

func redeliversUnacked(t *testing.T, c transport) {
	c.publish(t, entries(prodA, 1, 2))
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
			require.Equal(t, entries(prodA, e.Seq, e.Seq)[0], e)
			seen[e.Seq]++
		}
	}
}

func doesNotRedeliverAcked(t *testing.T, c transport) {
	c.publish(t, entries(prodA, 1, 2))
	c.take(t, 2)
	c.publish(t, entries(prodA, 3, 3))
	require.Equal(t, entries(prodA, 3, 3), c.take(t, 1))
}

func stopsWaiting(t *testing.T, c transport) {
	ctx, cancel := context.WithCancel(c.ctx)
	ended := make(chan error, 1)
	go func() {
		_, err := c.Next(ctx)
		ended <- err
	}()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	c.publish(t, entries(prodA, 1, 1))
	_, err := c.Next(c.ctx)
	require.NoError(t, err)
	_, err = c.Next(ctx)
	require.ErrorIs(t, err, context.Canceled, "also while an entry waits for redelivery")
}

func reportsStates(t *testing.T, c transport) {
	require.Empty(t, c.states(t))
	at := time.Now().UTC().Truncate(time.Millisecond)
	a := records.ProducerState{Producer: prodA, Host: "h", Written: 9, FirstUnstored: 4, Lost: 1, Refused: 2, At: at}
	b := records.ProducerState{Producer: prodB, Written: 1, FirstUnstored: 2, At: at}
	for _, s := range []records.ProducerState{a, b} {
		require.NoError(t, c.ReportState(c.ctx, s))
	}
	for range 2 {
		require.Equal(t, map[string]records.ProducerState{prodA: a, prodB: b}, c.states(t), "they stay")
	}
	a.Written, a.FirstUnstored, a.At = 12, 13, at.Add(time.Second)
	require.NoError(t, c.ReportState(c.ctx, a))
	require.Equal(t, map[string]records.ProducerState{prodA: a, prodB: b}, c.states(t), "the last one counts")
}

func (c transport) states(t *testing.T) map[string]records.ProducerState {
	t.Helper()
	got, err := c.ProducerStates(c.ctx)
	require.NoError(t, err)
	out := map[string]records.ProducerState{}
	for _, s := range got {
		out[s.Producer] = s
	}
	return out
}

func reportsRunning(t *testing.T, c transport) {
	request := func(name string) records.RunningRequest {
		return records.RunningRequest{Elapsed: time.Second, Record: []byte(name + "\x00\xff")}
	}
	report := func(producer string, running ...records.RunningRequest) {
		require.NoError(t, c.ReportRunning(c.ctx, producer, running))
	}
	read := func() []records.RunningRequest {
		got, err := c.RunningRequests(c.ctx)
		require.NoError(t, err)
		return got
	}
	require.Empty(t, read())
	report(prodA, request("a1"), request("a2"))
	report(prodB, request("b1"))
	require.ElementsMatch(t, []records.RunningRequest{request("a1"), request("a2"), request("b1")}, read())
	report(prodA, request("a2"))
	report(prodB)
	require.Equal(t, []records.RunningRequest{request("a2")}, read(), "a report replaces the one before")
}
