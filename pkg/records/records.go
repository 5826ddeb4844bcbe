// Package records carries request records from proxies to the ledger. A
// carrier only carries: a record is safe when the ledger's store says so, and
// the proof comes back to the producer as ranges of sequence numbers. Memory
// is the carrier of the all-in-one; a Redis stream is that of the split shape.
package records

import (
	"cmp"
	"context"
	"slices"
)

// Entry is one record on its way.
type Entry struct {
	// Producer is the spool it comes from.
	Producer string
	// Seq is its number in the producer's order, from 1, without gaps. It is 0
	// for what arrived damaged: then Record is that, and proves nothing, and the
	// producer sends again what it was.
	Seq uint64
	// Record is an encoded signalbox.record.v1.RequestRecord.
	Record []byte
}

// Publisher is the producer's side.
type Publisher interface {
	// Publish hands entries over. An error does not mean that none of them
	// arrived; publishing again is safe. Publish does not keep entries.
	Publish(ctx context.Context, entries []Entry) error
	// Committed returns the ranges of the producer that the store holds.
	Committed(ctx context.Context, producer string) ([]Range, error)
	// Report tells the consumers how a producer is. The last report outlives
	// the producer by an hour or more.
	Report(ctx context.Context, s State) error
}

// Batch is what a consumer got. Ack is called after the store has committed
// it; entries that are never acknowledged come again, and an entry may come
// twice.
type Batch struct {
	Entries []Entry
	// Ack proves that the store holds the ranges, by producer. Calling it again
	// is safe.
	Ack func(ctx context.Context, committed map[string][]Range) error
}

// Source is the consumer's side.
type Source interface {
	// Next waits for entries. It returns ctx's error when ctx ends.
	Next(ctx context.Context) (Batch, error)
	// States returns what producers reported last, in no order. A carrier that
	// lost its data has none until they report again.
	States(ctx context.Context) ([]State, error)
}

// Range is a closed interval of sequence numbers.
type Range struct{ First, Last uint64 }

// Merge returns the union as sorted, disjoint, non-adjacent ranges. A range
// that ends before it begins holds nothing.
func Merge(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var out []Range
	for _, r := range sorted {
		n := len(out)
		switch {
		case r.First > r.Last:
		// Not Last+1, which is 0 for the last number of all.
		case n > 0 && (r.First <= out[n-1].Last || r.First-1 == out[n-1].Last):
			out[n-1].Last = max(out[n-1].Last, r.Last)
		default:
			out = append(out, r)
		}
	}
	return out
}

// Covers reports whether ranges, merged or not, hold every number of want.
func Covers(ranges []Range, want Range) bool {
	if want.First > want.Last {
		return true
	}
	for _, r := range Merge(ranges) {
		if r.First <= want.First && want.Last <= r.Last {
			return true
		}
	}
	return false
}
