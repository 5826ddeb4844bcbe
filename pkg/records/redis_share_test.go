package records_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

func TestSourcesSideBySideGetEverythingOnce(t *testing.T) {
	const each, sources = 5000, 4
	producers := []string{prodA, prodB}
	r := startRedis(t)
	p := r.publisher()
	var seen sync.Map
	var running sync.WaitGroup
	var left sync.WaitGroup
	left.Add(len(producers) * each)
	ctx, cancel := context.WithCancel(r.ctx)
	for i := range sources {
		s := r.source(fmt.Sprint("source ", i))
		running.Go(func() {
			for {
				b, err := s.Next(ctx)
				if ctx.Err() != nil {
					return
				}
				if err == nil {
					err = b.Ack(ctx, ranges(b.Entries))
				}
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range b.Entries {
					if _, twice := seen.LoadOrStore(fmt.Sprint(e.Producer, e.Seq), true); twice {
						t.Error("came twice", e.Producer, e.Seq)
						continue
					}
					left.Done()
				}
			}
		})
	}
	for first := uint64(1); first <= each; first += 50 {
		for _, producer := range producers {
			require.NoError(t, p.Publish(r.ctx, numbered(producer, first, first+49)))
		}
	}
	all := make(chan struct{})
	go func() {
		left.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-r.ctx.Done():
		t.Fatal("not every entry came")
	}
	for _, producer := range producers {
		require.Equal(t, []records.Range{{First: 1, Last: each}}, r.committed(p, producer))
	}
	cancel()
	running.Wait()
}

// Unreadable committed ranges prove nothing, and the next update replaces them.
func TestAnUnreadableProofIsReplaced(t *testing.T) {
	for name, spoil := range map[string][]any{
		"text":      {"SET", "signalbox:committed:" + prodA, "1-5,x"},
		"half":      {"SET", "signalbox:committed:" + prodA, "1"},
		"other key": {"LPUSH", "signalbox:committed:" + prodA, "1-5"},
	} {
		t.Run(name, func(t *testing.T) {
			r := startRedis(t)
			p, s := r.publisher(), r.source("one")
			r.do(spoil...)
			_, err := p.CommittedRanges(r.ctx, prodA)
			require.Error(t, err)
			require.NoError(t, p.Publish(r.ctx, numbered(prodA, 3, 4)))
			r.ack(r.next(s))
			require.Equal(t, []records.Range{{First: 3, Last: 4}}, r.committed(p, prodA))
		})
	}
}

func TestTheLargestNumbersAreProvenExactly(t *testing.T) {
	r := startRedis(t)
	p, s := r.publisher(), r.source("one")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 1)))
	const top = math.MaxUint64
	want := []records.Range{{First: 1, Last: 1}, {First: top - 4, Last: top - 3}, {First: top, Last: top}}
	require.NoError(t, r.next(s).Ack(r.ctx, map[string][]records.Range{prodA: want}))
	require.Equal(t, want, r.committed(p, prodA))
}

func TestEntriesThatNobodyCanReadAreRemoved(t *testing.T) {
	r := startRedis(t)
	var log bytes.Buffer
	p, s := r.publisher(), r.sourceOf(records.RedisSourceConfig{Consumer: "one", Log: slog.New(slog.NewTextHandler(&log, nil))})
	r.do("XADD", stream, "*", "some", "thing")
	r.do("XADD", stream, "*", "p", prodA, "s", "-1", "r", "x")
	r.do("XADD", stream, "*", "p", strings.Repeat("no index takes this", 500), "s", "1", "r", "x")
	r.do("HSET", "signalbox:producers", strings.Repeat("nor this", 500), "{}")
	r.do("XADD", stream, "*", "p", prodA, "s", "7")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 8, 8)))
	b := r.next(s)
	require.Equal(t, append([]records.Entry{{Producer: prodA, Seq: 7, Record: []byte{}}}, numbered(prodA, 8, 8)...), b.Entries)
	require.Contains(t, log.String(), "count=3")
	states, err := s.ProducerStates(r.ctx)
	require.NoError(t, err)
	require.Empty(t, states)
	require.EqualValues(t, 2, r.raw.XLen(r.ctx, stream).Val())
}

// An operator who trims the stream removes entries that a consumer holds.
func TestTrimmedEntriesAreForgotten(t *testing.T) {
	r := startRedis(t)
	var log bytes.Buffer
	p, s := r.publisher(), r.sourceOf(records.RedisSourceConfig{Consumer: "one", Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 1, 2)))
	require.Len(t, r.next(s).Entries, 2)
	r.do("XTRIM", stream, "MAXLEN", "0")
	require.NoError(t, p.Publish(r.ctx, numbered(prodA, 3, 3)))
	b := r.next(s)
	require.Equal(t, numbered(prodA, 3, 3), b.Entries)
	r.ack(b)
	require.Zero(t, r.raw.XPending(r.ctx, stream, "ledger").Val().Count)
	require.Empty(t, log.String(), "nothing that could not be read")
}
