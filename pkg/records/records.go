// Package records transports request records from proxies to the ledger, which stores all records.
// Each producer of records is a spool, a proxy's log on disk. Delivery is at least once. A record is
// safe only when the ledger has committed it to its database. So the ledger reports committed records
// back to their producer, as ranges of sequence numbers.
//
// Memory is the transport within the all-in-one program. RedisPublisher and RedisSource use a Redis
// stream between separately deployed services.
package records

import (
	"cmp"
	"context"
	"slices"
)

// Entry is one record on its way to the ledger.
type Entry struct {
	// Producer is the id of the spool that the record comes from.
	Producer string
	// Seq is the record's sequence number. A producer numbers its records from 1, without gaps. Seq is
	// 0 for a damaged entry. Then Record contains the damaged bytes, and the producer sends the
	// original record again.
	Seq uint64
	// Record is an encoded signalbox.record.v1.RequestRecord.
	Record []byte
}

// Publisher is the producer's side of the transport.
type Publisher interface {
	// Publish sends entries. After an error, some entries may have arrived; publishing all of them
	// again is safe. Publish does not retain entries.
	Publish(ctx context.Context, entries []Entry) error
	// CommittedRanges returns the sequence numbers of the producer that the ledger has committed.
	CommittedRanges(ctx context.Context, producer string) ([]Range, error)
	// ReportState publishes the state of a producer. The last report stays available
	// for at least an hour after the producer has stopped.
	ReportState(ctx context.Context, s ProducerState) error
	// ReportRunning replaces the last report of the requests that the producer's proxy is serving. The
	// report expires after RunningTTL.
	ReportRunning(ctx context.Context, producer string, running []RunningRequest) error
}

// Batch is a set of entries for a consumer. The consumer calls Ack after the ledger has committed the
// entries. Entries that are not acknowledged are delivered again. Any entry may be delivered twice.
type Batch struct {
	Entries []Entry
	// Ack acknowledges the batch and reports the committed ranges by producer. Calling it again is
	// safe.
	Ack func(ctx context.Context, committed map[string][]Range) error
}

// Source is the consumer's side of the transport.
type Source interface {
	// Next waits for entries. If ctx is done, it returns the error of ctx.
	Next(ctx context.Context) (Batch, error)
	// ProducerStates returns the last reported states in any order. A transport that has lost its
	// data returns none until the producers report again.
	ProducerStates(ctx context.Context) ([]ProducerState, error)
	// RunningRequests returns the requests of the last report of every producer, in any order. It
	// leaves out expired reports.
	RunningRequests(ctx context.Context) ([]RunningRequest, error)
}

// Range is a closed interval of sequence numbers.
type Range struct{ First, Last uint64 }

// MergeRanges returns the union of ranges, sorted, without overlapping or adjacent ranges. A range
// with First > Last is empty.
func MergeRanges(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return cmp.Compare(a.First, b.First) })
	var out []Range
	for _, r := range sorted {
		n := len(out)
		switch {
		case r.First > r.Last:
		// The comparison Last+1 == First would overflow for the largest number.
		case n > 0 && (r.First <= out[n-1].Last || r.First-1 == out[n-1].Last):
			out[n-1].Last = max(out[n-1].Last, r.Last)
		default:
			out = append(out, r)
		}
	}
	return out
}

// CoversRange reports whether ranges contain every number of want. The ranges may overlap.
func CoversRange(ranges []Range, want Range) bool {
	if want.First > want.Last {
		return true
	}
	return slices.ContainsFunc(MergeRanges(ranges), func(r Range) bool { return r.First <= want.First && want.Last <= r.Last })
}
