package spool

import (
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// Stats is a moment's account, for completeness and readiness.
type Stats struct {
	// Producer names this process's records on their way.
	Producer string
	// Written are the records of this process, those that it made of requests
	// cut off in an earlier one included. Committed are those of them that
	// the store holds, Lost those that were damaged on the disk before it
	// did. Written is the other two and what is on its way.
	Written, Committed, Lost uint64
	// Refused are the requests of this process without a record: neither
	// disk nor memory took it, or Forget gave it up.
	Refused uint64
	// Waiting are the records here, those of adopted directories included,
	// that the store has not confirmed. OldestWaiting is for how long the
	// oldest of them has been here, counted from its END or its adoption; 0
	// if there is none.
	Waiting       uint64
	OldestWaiting time.Duration
	// Open are the requests that are begun and whose record is neither on
	// the disk nor, if that refused it, in the store.
	Open int
	// Queued are the records in memory because the disk refused them.
	Queued int
	// Segments and Bytes are the files of this process and of the adopted
	// directories, of which there are Adopted.
	Segments int
	Bytes    int64
	Adopted  int
	// DiskFailing and CarrierFailing tell how the last attempt went. While
	// one of them holds there is another attempt every few seconds.
	DiskFailing, CarrierFailing bool
}

// Stats returns the account of now.
func (s *Spool) Stats() Stats {
	lanes := s.lanesNow()
	st := Stats{
		Producer:       s.own.producer,
		Written:        s.own.last() + s.queue.last(),
		Refused:        s.refused.Load(),
		Adopted:        len(lanes) - 2,
		CarrierFailing: s.carrierFailing.Load(),
	}
	for _, l := range lanes[:2] {
		committed, lost := l.account()
		st.Committed += committed
		st.Lost += lost
	}
	st.Open, st.DiskFailing = s.own.state()
	s.own.measure(&st, lanes[0].settledNow())
	s.queue.measure(&st, lanes[1].settledNow())
	for _, l := range lanes[2:] {
		l.journal.measure(&st, l.settledNow())
	}
	return st
}

func (l *lane) account() (committed, lost uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	committed = count(l.committed)
	return committed, count(l.settled) - committed
}

func (j *journal) measure(st *Stats, settled []records.Range) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st.Segments += len(j.segments)
	for _, seg := range j.segments {
		st.Bytes += seg.size
	}
	if n, first := unsettled(j.held, settled); n > 0 {
		st.Waiting += n
		st.OldestWaiting = max(st.OldestWaiting, j.age(first))
	}
}

// age returns how long the record with this number has been here.
func (j *journal) age(seq uint64) time.Duration {
	for _, seg := range j.segments {
		if i := seg.from(seq); i < len(seg.marks) {
			return time.Since(j.born) - seg.marks[i].at
		}
	}
	return 0 // committed and freed in this moment
}

func (q *queue) measure(st *Stats, settled []records.Range) {
	q.mu.Lock()
	defer q.mu.Unlock()
	st.Queued = len(q.items)
	n, first := unsettled([]records.Range{{First: 1, Last: q.seq}}, settled)
	st.Waiting += n
	for _, it := range q.items {
		if n > 0 && it.seq >= first {
			st.OldestWaiting = max(st.OldestWaiting, time.Since(it.at))
			return
		}
	}
}

func (j *journal) state() (open int, failing bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.open), j.failing
}

func (j *journal) last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

func (q *queue) last() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.seq
}
