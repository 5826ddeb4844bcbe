package record

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// silence is after how long without a word a producer is taken for dead. A
// living one says something every ten seconds.
const silence = 30 * time.Second

// Meter is what became of numbers that were given to records. Sent is the sum
// of Stored, InFlight, Missing and Lost, unless a producer counts as lost what
// has arrived after all.
type Meter struct {
	Sent int64
	// Stored are the numbers that the store holds, dead letters included.
	Stored int64
	// InFlight are not stored, but a living producer has them and sends them
	// until they are.
	InFlight int64
	// Missing are not stored, and nobody is known to have them. They may still
	// come, from the spool of a proxy that is cut off or has not started again.
	Missing int64
	// Lost were damaged on the producer's disk, which gave them up.
	Lost int64
	// DeadLetters is how many of the stored ones could not be read.
	DeadLetters int64
}

// Producer is what is known of one spool of a proxy.
type Producer struct {
	Name string
	// Highest is the highest number that has arrived. Numbers begin at 1.
	Highest int64
	// Stored is how many numbers the store holds, dead letters included;
	// StoredBelow how many of these are below Held.
	Stored, StoredBelow int64
	// DeadLetters is how many of these could not be read.
	DeadLetters int64

	// Host is where it is or was.
	Host string
	// Sent is the highest number that it says it gave, Held the first of those
	// that it still has. Lost it found damaged. Refused are requests of which
	// it could keep no record.
	Sent, Held, Lost, Refused int64
	// FirstSeen and LastSeen are when it was heard of; zero for one that never
	// said anything.
	FirstSeen, LastSeen time.Time
}

// Silent reports whether nobody speaks for the producer any more.
func (p Producer) Silent(now time.Time) bool { return now.Sub(p.LastSeen) > silence }

// Meter counts what became of the producer's numbers.
func (p Producer) Meter(now time.Time) Meter {
	m := Meter{Sent: max(p.Sent, p.Highest), Stored: p.Stored, Lost: p.Lost, DeadLetters: p.DeadLetters}
	open := max(0, m.Sent-p.Stored-p.Lost)
	m.Missing = open
	if !p.Silent(now) {
		m.Missing = min(open, max(0, p.Held-1-p.StoredBelow-p.Lost))
	}
	m.InFlight = open - m.Missing
	return m
}

// Doubtful is up to which number holes in what is stored are gaps: beyond it
// they are in flight.
func (p Producer) Doubtful(now time.Time) int64 {
	if p.Silent(now) {
		return max(p.Sent, p.Highest)
	}
	return p.Held - 1
}

// Total adds up what became of the numbers of all of them.
func Total(producers []Producer, now time.Time) Meter {
	var sum Meter
	for _, p := range producers {
		m := p.Meter(now)
		sum.Sent += m.Sent
		sum.Stored += m.Stored
		sum.InFlight += m.InFlight
		sum.Missing += m.Missing
		sum.Lost += m.Lost
		sum.DeadLetters += m.DeadLetters
	}
	return sum
}

// Gaps returns the holes in the sorted ranges, from 1 to last, at most so many.
func Gaps(stored []records.Range, last uint64, most int) []records.Range {
	var gaps []records.Range
	next := uint64(1)
	for _, r := range slices.Concat(stored, []records.Range{{First: last + 1, Last: last + 1}}) {
		if first := min(r.First, last+1); first > next && len(gaps) < most {
			gaps = append(gaps, records.Range{First: next, Last: first - 1})
		}
		next = max(next, r.Last+1)
	}
	return gaps
}
