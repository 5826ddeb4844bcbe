package record

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// silenceTimeout is how long a producer may be silent before it counts as
// stopped. A running producer normally reports every ten seconds or more often.
const silenceTimeout = 30 * time.Second

// DeliveryCounts counts a producer's records by state. Normally Sent is the sum of
// Stored, InFlight, Missing and Lost. The sum is higher if a producer reports a
// record as lost although the record arrived.
type DeliveryCounts struct {
	Sent int64
	// Stored counts the records in the store, dead letters included.
	Stored int64
	// InFlight counts the records that are not stored yet, but that a running
	// producer still holds and sends again.
	InFlight int64
	// Missing counts the records that are not stored and that no running producer
	// holds. They may still arrive from the spool of a proxy that is offline.
	Missing int64
	// Lost counts records that were damaged on the producer's disk.
	Lost int64
	// DeadLetters counts the stored records that are dead letters: they could not
	// be decoded, or the store rejected their data.
	DeadLetters int64
}

// Producer is the known state of one spool, the on-disk queue of records of one
// proxy process. The spool numbers its records from 1.
type Producer struct {
	Name string
	// HighestSeq is the highest sequence number that arrived.
	HighestSeq int64
	// Stored counts the records in the store, dead letters included.
	Stored int64
	// StoredBelow counts the stored records with a number below FirstHeld.
	StoredBelow int64
	// DeadLetters counts the stored records that are dead letters.
	DeadLetters int64

	// Host is the machine from which the producer last reported.
	Host string
	// Sent is the highest number that the producer assigned.
	Sent int64
	// FirstHeld is the lowest number that the producer still holds.
	FirstHeld int64
	// Lost counts the records that the producer found damaged on its disk.
	Lost int64
	// Refused counts the requests for which the producer could not write a record.
	Refused int64
	// FirstSeen and LastSeen are the times of the producer's first and last report.
	// They are zero if the producer never reported.
	FirstSeen, LastSeen time.Time
}

// IsSilent reports whether the producer has stopped reporting.
func (p Producer) IsSilent(now time.Time) bool { return now.Sub(p.LastSeen) > silenceTimeout }

// CountDeliveries counts the producer's records by state.
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

// LastGapSeq returns the highest sequence number that can belong to a gap. A
// record with a higher number that is not stored is in flight.
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

// FindGaps returns the sequence numbers from 1 to last that are not in the
// sorted ranges. It returns at most limit gaps, lowest first.
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
