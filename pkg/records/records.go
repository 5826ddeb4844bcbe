// Package records transports request records from proxies to the ledger, the store of
// all records. Delivery is at least once. A delivered record is not safe yet: it is
// safe once the ledger's store has committed it. Consumers report committed records
// back to their producer as ranges of sequence numbers.
//
// Memory is the transport of the all-in-one program. RedisPublisher and RedisSource use a
// Redis stream in the split deployment.
package records

import (
	"cmp"
	"context"
	"slices"
)

// Entry is one record in transport.
type Entry struct {
	// Producer is the id of the spool that the record comes from.
	Producer string
	// Seq is the record's number in the producer's order, from 1, without gaps. It is 0
	// for a damaged entry. Then Record holds the damaged bytes, and the producer sends
	// the original record again.
	Seq uint64
	// Record is an encoded signalbox.record.v1.RequestRecord.
	Record []byte
}

// Publisher is the producer's side of the transport.
type Publisher interface {
	// Publish sends entries. After an error some of them may have arrived; publishing
	// again is safe. Publish does not retain entries.
	Publish(ctx context.Context, entries []Entry) error
	// CommittedRanges returns the producer's ranges that the store has committed.
	CommittedRanges(ctx context.Context, producer string) ([]Range, error)
	// ReportState publishes the state of a producer. The last report stays available
	// for at least an hour after the producer has stopped.
	ReportState(ctx context.Context, s ProducerState) error
}

// Batch is a set of entries for a consumer. The consumer calls Ack after the store has
// committed the entries. Entries without Ack are delivered again, and any entry may be
// delivered twice.
type Batch struct {
	Entries []Entry
	// Ack confirms the ranges that the store has committed, by producer. Calling it
	// again is safe.
	Ack func(ctx context.Context, committed map[string][]Range) error
}

// Source is the consumer's side of the transport.
type Source interface {
	// Next waits for entries. It returns ctx's error when ctx is done.
	Next(ctx context.Context) (Batch, error)
	// ProducerStates returns the last reported states in any order. A transport that
	// lost its data has none until producers report again.
	ProducerStates(ctx context.Context) ([]ProducerState, error)
}

// Range is a closed interval of sequence numbers.
type Range struct{ First, Last uint64 }

// MergeRanges returns the union as sorted, disjoint, non-adjacent ranges. A range
// with First > Last is empty.
func MergeRanges(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var out []Range
	for _, r := range sorted {
		n := len(out)
		switch {
		case r.First > r.Last:
		// Not Last+1, which overflows for the largest number.
		case n > 0 && (r.First <= out[n-1].Last || r.First-1 == out[n-1].Last):
			out[n-1].Last = max(out[n-1].Last, r.Last)
		default:
			out = append(out, r)
		}
	}
	return out
}

// CoversRange reports whether ranges contain every number of want. The ranges need not
// be merged.
func CoversRange(ranges []Range, want Range) bool {
	if want.First > want.Last {
		return true
	}
	for _, r := range MergeRanges(ranges) {
		if r.First <= want.First && want.Last <= r.Last {
			return true
		}
	}
	return false
}
