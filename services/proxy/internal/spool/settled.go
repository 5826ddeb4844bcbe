package spool

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
)

// settle adds numbers, and reports whether any of them was new.
func (l *lane) settle(committed []records.Range, lost []uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Concat(l.settled, committed)
	for _, seq := range lost {
		all = append(all, records.Range{First: seq, Last: seq})
	}
	before := count(l.settled)
	l.settled = records.Merge(all)
	l.lost += uint64(len(lost))
	return count(l.settled) > before
}

func (l *lane) settledNow() []records.Range {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.settled
}

// lowest returns the first number that is not settled. When all are, it is the
// one after the last.
func (l *lane) lowest() uint64 {
	settled, last := l.settledNow(), uint64(0)
	for _, r := range l.backlog.ready() {
		at := r.First
		for _, s := range settled {
			if s.First <= at && at <= s.Last {
				at = s.Last + 1
			}
		}
		if at <= r.Last {
			return at
		}
		last = r.Last
	}
	return last + 1
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
