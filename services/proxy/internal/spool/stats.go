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
	// the store holds; the others are on their way or lost.
	Written, Committed uint64
	// Lost are the records, of adopted directories too, that were damaged on
	// the disk or vanished from it before the store had them.
	Lost uint64
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
	// the disk nor, if that refused it, in the store. Those of dead processes
	// are among them until their end can be written.
	Open int
	// Bytes are the files of this process and of the adopted directories.
	Bytes int64
	// Limit is how many bytes there may be, Level how near they are to it.
	Limit int64
	Level Level
	// Dropped are the records whose body was given up for want of room.
	Dropped uint64
	// DiskFailing tells that the last attempt to write failed, Unsynced that
	// the last one to sync did. While one holds there is another every second.
	DiskFailing, Unsynced bool
}

// Stats returns the account of now.
func (s *Spool) Stats() Stats {
	lanes := s.lanesNow()
	st := Stats{
		Producer: s.own.producer,
		Written:  s.own.last() + s.queue.last(),
		Refused:  s.refused.Load(),
		Lost:     s.lostOfDead.Load(),
		Unsynced: s.unsynced.Load(),
	}
	s.measure(&st)
	for i, l := range lanes {
		committed, lost := l.account()
		if st.Lost += lost; i < 2 {
			st.Committed += committed
		}
	}
	st.DiskFailing = s.own.refuses()
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
	st.Open += len(j.open)
	st.Bytes += j.total()
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
	if q.disk != nil {
		st.Bytes += q.disk.bytes()
	}
	n, first := unsettled([]records.Range{{First: 1, Last: q.seq}}, settled)
	st.Waiting += n
	for _, it := range q.items {
		if n > 0 && it.seq >= first {
			st.OldestWaiting = max(st.OldestWaiting, time.Since(it.at))
			return
		}
	}
}

func (j *journal) refuses() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.failing
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

func (j *journal) bytes() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.total()
}

func (j *journal) total() (sum int64) {
	for _, seg := range j.segments {
		sum += seg.size
	}
	return sum
}

func (j *journal) begun(id [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.open[id]
	return ok
}
