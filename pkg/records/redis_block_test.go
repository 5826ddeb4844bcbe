package records_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// words makes a record with a unique text of that many bytes.
func words(seq uint64, size int) []byte {
	r := rand.New(rand.NewPCG(seq, 1))
	out := []byte("the metadata that all records have in common: account, key, model, provider, reason ")
	for len(out) < size {
		out = append(out, []string{"signal ", "train ", "track ", "box ", "lever ", "yard "}[r.IntN(6)]...)
	}
	return out[:max(size, 80)]
}

func worded(first, last uint64, size int) []records.Entry {
	out := numbered(prodA, first, last)
	for i := range out {
		out[i].Record = words(out[i].Seq, size)
	}
	return out
}

// sizes returns the sizes of the blocks in the stream, which holds nothing else.
func (r *server) sizes() []int {
	r.t.Helper()
	var out []int
	for _, m := range r.raw.XRange(r.ctx, stream, "-", "+").Val() {
		// A build without support for blocks finds neither a number nor a record, so it does
		// not treat the entry as a record.
		require.Equal(r.t, []string{"b", "p"}, slices.Sorted(maps.Keys(m.Values)))
		out = append(out, len(m.Values["b"].(string)))
	}
	return out
}

func TestRecordsTravelTogether(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	small, large := worded(1, 20, 100), worded(21, 40, 5000)
	require.NoError(t, p.Publish(r.ctx, small))
	require.NoError(t, p.Publish(r.ctx, large))
	sizes := r.sizes()
	require.Len(t, sizes, 2)
	require.Less(t, sizes[0], 1000, "what they have in common is there once")
	require.Greater(t, sizes[1], 100_000, "text is left as it is while nothing waits")
	b := r.next(s)
	require.Equal(t, slices.Concat(small, large), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 40}}, r.committed(p, prodA))
}

// During an outage of the ledger, records stay in Redis and their size matters.
func TestWhatHasToWaitIsCompressed(t *testing.T) {
	r := startRedis(t)
	p := r.publisher()
	r.alone(p, worded(1, 501, 90))
	require.NoError(t, p.Publish(r.ctx, worded(502, 502, 5000)))
	require.Less(t, r.sizes()[501], 2500)
}

func TestAnEarlierBuildsEntriesAreRead(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.do("XADD", stream, "*", "p", prodA, "s", "1", "r", prodA+" 1")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 2, 3)))
	b := r.next(s)
	require.Equal(t, numbered(prodA, 1, 3), b.Entries)
	r.ack(b)
	require.Equal(t, []records.Range{{First: 1, Last: 3}}, r.committed(p, prodA))
}

// A damaged block is delivered as it is and proves nothing. Its records are sent again.
func TestADamagedBlockProvesNothing(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	r.do("XADD", stream, "*", "p", prodA, "b", "\x01damage")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 3, 3)))
	b := r.next(s)
	require.Equal(t, append([]records.Entry{{Producer: prodA, Record: []byte("\x01damage")}}, numbered(prodA, 3, 3)...), b.Entries)
	require.NoError(t, b.Ack(r.ctx, ranges(numbered(prodA, 3, 3))))
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val(), "it does not come for ever")
	require.Equal(t, []records.Range{{First: 3, Last: 3}}, r.committed(p, prodA))
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 2)))
	r.ack(r.next(s))
	require.Equal(t, []records.Range{{First: 1, Last: 3}}, r.committed(p, prodA))
}

// A batch stays small enough for one transaction, and messages are delivered whole.
func TestBatchesOfManyBlocksAreCut(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	all := numbered(prodA, 1, 5000)
	require.NoError(t, p.Publish(r.ctx, all))
	var got []records.Entry
	for len(got) < len(all) {
		b := r.next(s)
		require.LessOrEqual(t, len(b.Entries), 1000)
		again := r.next(s)
		shorter := min(len(b.Entries), len(again.Entries))
		require.Equal(t, b.Entries[:shorter], again.Entries[:shorter], "it was not acknowledged")
		r.ack(again)
		got = append(got, again.Entries...)
	}
	require.Equal(t, all, got)
	require.Zero(t, r.raw.XLen(r.ctx, stream).Val())
}

// Calls at the same time never share a buffer.
func TestConcurrentCallsPublishTheirOwnRecords(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	var all sync.WaitGroup
	const calls = 40
	var errs [calls]error
	for call := range errs {
		seq := uint64(call + 1)
		all.Go(func() { errs[call] = p.Publish(r.ctx, worded(seq, seq, 20_000)) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs[:]...))
	got := map[uint64]bool{}
	for len(got) < calls {
		b := r.next(s)
		for _, e := range b.Entries {
			require.Equal(t, words(e.Seq, 20_000), e.Record)
			got[e.Seq] = true
		}
		r.ack(b)
	}
}
