package record

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// silenceTimeout is the age of its last report after which a producer counts as
// gone. A running producer reports every ten seconds.
const silenceTimeout = 30 * time.Second

// DeliveryCounts says where the sequence numbers of a producer's records are.
// Sent is the sum of Stored, InFlight, Missing and Lost, except when a producer
// reports a record as lost that did arrive.
type DeliveryCounts struct {
	Sent int64
	// Stored counts numbers in the store, dead letters included.
	Stored int64
	// InFlight counts numbers that are not stored, but that a running producer
	// still holds and will send again.
	InFlight int64
	// Missing counts numbers that are neither stored nor known to be held. They
	// may still arrive from the spool of a proxy that is offline.
	Missing int64
	// Lost counts records that were damaged on the producer's disk.
	Lost int64
	// DeadLetters counts the stored records that could not be decoded.
	DeadLetters int64
}

// Producer is the known state of one spool of a proxy.
type Producer struct {
	Name string
	// HighestSeq is the highest sequence number that arrived. Numbers start at 1.
	HighestSeq int64
	// Stored counts the numbers in the store, dead letters included. StoredBelow
	// counts those below FirstHeld.
	Stored, StoredBelow int64
	// DeadLetters counts the stored records that could not be decoded.
	DeadLetters int64

	// Host is the machine from which the producer last reported.
	Host string
	// Sent is the highest number the producer assigned. FirstHeld is the lowest
	// number it still holds. Lost counts the records it found damaged. Refused
	// counts requests for which it could not write a record.
	Sent, FirstHeld, Lost, Refused int64
	// FirstSeen and LastSeen are the times of the producer's first and last
	// report. They are zero if it never reported.
	FirstSeen, LastSeen time.Time
}

// IsSilent reports whether the producer has stopped reporting.
func (p Producer) IsSilent(now time.Time) bool { return now.Sub(p.LastSeen) > silenceTimeout }

// CountDeliveries classifies the producer's sequence numbers.
func (p Producer) CountDeliveries(now time.Time) DeliveryCounts {
	m := DeliveryCounts{Sent: max(p.Sent, p.HighestSeq), Stored: p.Stored, Lost: p.Lost, DeadLetters: p.DeadLetters}
	open := max(0, m.Sent-p.Stored-p.Lost)
	m.Missing = open
	if !p.IsSilent(now) {
		m.Missing = min(open, max(0, p.FirstHeld-1-p.StoredBelow-p.Lost))
	}
	m.InFlight = open - m.Missing
	return m
}

// LastGapSeq returns the number up to which unstored numbers are gaps. Unstored
// numbers beyond it are in flight.
func (p Producer) LastGapSeq(now time.Time) int64 {
	if p.IsSilent(now) {
		return max(p.Sent, p.HighestSeq)
	}
	return p.FirstHeld - 1
}

// SumDeliveries adds up the delivery counts of all producers.
func SumDeliveries(producers []Producer, now time.Time) DeliveryCounts {
	var sum DeliveryCounts
	for _, p := range producers {
		m := p.CountDeliveries(now)
		sum.Sent += m.Sent
		sum.Stored += m.Stored
		sum.InFlight += m.InFlight
		sum.Missing += m.Missing
		sum.Lost += m.Lost
		sum.DeadLetters += m.DeadLetters
	}
	return sum
}

// FindGaps returns the first gaps between 1 and last in the sorted ranges, at most
// limit of them.
func FindGaps(stored []records.Range, last uint64, limit int) []records.Range {
	var gaps []records.Range
	next := uint64(1)
	for _, r := range slices.Concat(stored, []records.Range{{First: last + 1, Last: last + 1}}) {
		if first := min(r.First, last+1); first > next && len(gaps) < limit {
			gaps = append(gaps, records.Range{First: next, Last: first - 1})
		}
		next = max(next, r.Last+1)
	}
	return gaps
}
