package spool

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
)

// addSettled adds numbers to settled. A number is settled if the store has
// committed its record or the record is lost. Settled records are not sent again.
func (l *shipper) addSettled(committed []records.Range, lost []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Concat(l.settled, committed)
	for _, seq := range lost {
		all = append(all, records.Range{First: seq, Last: seq})
	}
	before := countSeqs(l.settled)
	l.settled = records.MergeRanges(all)
	l.committed = records.MergeRanges(slices.Concat(l.committed, committed))
	l.hasProgress = l.hasProgress || countSeqs(l.settled) > before
}

func (l *shipper) settledRanges() []records.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settled
}

// lowestUnsettled returns the lowest sendable number that is not settled. If all
// are settled, it returns the number after the last one.
func (l *shipper) lowestUnsettled() uint64 {
	held := l.backlog.sendableRanges()
	if n, first := countUnsettled(held, l.settledRanges()); n > 0 {
		return first
	}
	if len(held) == 0 {
		return 1
	}
	return held[len(held)-1].Last + 1
}

// countUnsettled returns how many of the held numbers are not settled, and the
// lowest of them. Both arguments must be sorted.
func countUnsettled(held, settled []records.Range) (n, first uint64) {
	for _, h := range held {
		at := h.First
		for _, s := range settled {
			if s.Last < at || s.First > h.Last {
				continue
			}
			if s.First > at {
				n, first = n+s.First-at, cmp.Or(first, at)
			}
			at = s.Last + 1
		}
		if at <= h.Last {
			n, first = n+h.Last-at+1, cmp.Or(first, at)
		}
	}
	return n, first
}

// hasSettledUpTo reports whether the numbers from 1 to seq are settled.
func (l *shipper) hasSettledUpTo(seq uint64) bool {
	return seq == 0 || records.CoversRange(l.settledRanges(), records.Range{First: 1, Last: seq})
}

func containsSeq(ranges []records.Range, seq uint64) bool {
	return slices.ContainsFunc(ranges, func(r records.Range) bool { return r.First <= seq && seq <= r.Last })
}

func countSeqs(ranges []records.Range) uint64 {
	n := uint64(0)
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}
