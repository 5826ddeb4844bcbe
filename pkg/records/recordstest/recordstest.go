// Package recordstest is the contract test of record transports. It checks what every Publisher and
// Source must do. The tests of each transport call Run. The contract requires at-least-once delivery,
// and allows any grouping of entries into batches.
package recordstest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// patience limits the duration of each part of the test. A correct transport needs far less.
const patience = 2 * time.Minute

// The ids of producers are UUIDs, like the ids of spools.
const (
	prodA = "0198c0de-7d5a-7000-8000-00000000000a"
	prodB = "0198c0de-7d5a-7000-8000-00000000000b"
	prodC = "0198c0de-7d5a-7000-8000-00000000000c"
)

// Open returns both sides of an empty transport. It closes the transport when the test ends.
type Open func(t *testing.T) (records.Publisher, records.Source)

// Run checks the contract. Each part uses a new transport.
func Run(t *testing.T, open Open) {
	for name, part := range map[string]func(t *testing.T, c transport){
		"delivers every entry in its producer's order": deliversInOrder,
		"does not retain the publisher's memory":       retainsNoMemory,
		"accepts an empty publish":                     acceptsEmptyPublish,
		"reports only acknowledged entries as stored":  reportsOnlyAcknowledged,
		"merges committed ranges":                      mergesCommitted,
		"reports committed ranges per producer":        separatesProducers,
		"accepts a repeated acknowledgement":           acceptsRepeatedAck,
		"delivers unacknowledged entries again":        redeliversUnacked,
		"does not deliver acknowledged entries again":  doesNotRedeliverAcked,
		"stops waiting when its context is done":       stopsWaiting,
		"reports the states of producers":              reportsStates,
		"reports the running requests of producers":    reportsRunning,
	} {
		t.Run(name, func(t *testing.T) {
			p, s := open(t)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			part(t, transport{p, s, ctx})
		})
	}
}

type transport struct {
	records.Publisher
	records.Source
	ctx context.Context
}

// entries returns records of the producer with the sequence numbers first to last.
func entries(producer string, first, last uint64) []records.Entry {
	var out []records.Entry
	for seq := first; seq <= last; seq++ {
		out = append(out, records.Entry{Producer: producer, Seq: seq, Record: fmt.Appendf(nil, "%s\x00%d\xff", producer, seq)})
	}
	return out
}

func (c transport) publish(t *testing.T, entries []records.Entry) {
	t.Helper()
	require.NoError(t, c.Publish(c.ctx, entries))
}

// take reads at least n entries and acknowledges every batch.
func (c transport) take(t *testing.T, n int) []records.Entry {
	t.Helper()
	var out []records.Entry
	for len(out) < n {
		b, err := c.Next(c.ctx)
		require.NoError(t, err)
		out = append(out, b.Entries...)
		require.NoError(t, b.Ack(c.ctx, rangesOf(b.Entries)))
	}
	return out
}

func (c transport) committed(t *testing.T, producer string) []records.Range {
	t.Helper()
	got, err := c.CommittedRanges(c.ctx, producer)
	require.NoError(t, err)
	return records.MergeRanges(got)
}

func rangesOf(entries []records.Entry) map[string][]records.Range {
	out := map[string][]records.Range{}
	for _, e := range entries {
		out[e.Producer] = append(out[e.Producer], records.Range{First: e.Seq, Last: e.Seq})
	}
	return out
}
