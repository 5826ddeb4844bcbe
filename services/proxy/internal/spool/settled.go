package spool

import (
	"cmp"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
)

// settle adds numbers.
func (l *lane) settle(committed []records.Range, lost []uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Concat(l.settled, committed)
	for _, seq := range lost {
		all = append(all, records.Range{First: seq, Last: seq})
	}
	before := count(l.settled)
	l.settled = records.Merge(all)
	l.committed = records.Merge(slices.Concat(l.committed, committed))
	l.news = l.news || count(l.settled) > before
}

func (l *lane) settledNow() []records.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settled
}

// lowest returns the first number that is not settled. When all are, it is the
// one after the last.
func (l *lane) lowest() uint64 {
	held := l.backlog.ready()
	if n, first := unsettled(held, l.settledNow()); n > 0 {
		return first
	}
	if len(held) == 0 {
		return 1
	}
	return held[len(held)-1].Last + 1
}

// unsettled returns how many of the held numbers are not settled, and the first
// of them. Both lists are sorted.
func unsettled(held, settled []records.Range) (n, first uint64) {
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

// upTo reports whether the numbers from 1 to seq are settled.
func (l *lane) upTo(seq uint64) bool {
	return seq == 0 || records.Covers(l.settledNow(), records.Range{First: 1, Last: seq})
}

func contains(ranges []records.Range, seq uint64) bool {
	return slices.ContainsFunc(ranges, func(r records.Range) bool { return r.First <= seq && seq <= r.Last })
}

func count(ranges []records.Range) uint64 {
	n := uint64(0)
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}
