package spool

import (
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// Stats is a snapshot of a Spool's counters. The proxy exports it as metrics and uses it
// for its health checks.
type Stats struct {
	// Producer is the producer id of this process's records on disk.
	Producer string
	// Written counts the records of this process, including those that it wrote
	// for aborted requests of dead processes.
	Written uint64
	// Committed counts the records among Written that the store has. The others
	// wait, are in transit or are lost.
	Committed uint64
	// Lost counts the records, including adopted ones, that were damaged or
	// removed on the disk before the store had them.
	Lost uint64
	// WithoutRecord counts the requests of this process that have no record, because
	// neither disk nor memory accepted it or because Forget was called.
	WithoutRecord uint64
	// Waiting counts the records, including adopted ones, that the store has not
	// confirmed.
	Waiting uint64
	// OldestWaiting is the age of the oldest waiting record. It counts from the
	// record's END frame or, if the record was adopted, from its adoption. It is 0 if no
	// record waits.
	OldestWaiting time.Duration
	// OpenRequests counts the requests with a START frame whose record is not yet on the
	// disk. If the record waits in memory instead, the request counts until the
	// record is saved or in the store. Requests of dead processes count until
	// their record is written.
	OpenRequests int
	// Bytes is the size of this process's files and of adopted ones.
	Bytes int64
	// MaxBytes is the maximum of Bytes; Level shows how close Bytes is to it.
	MaxBytes int64
	Level    Level
	// DroppedBodies counts the records whose body was dropped for lack of capacity.
	DroppedBodies uint64
	// DiskFailing means that the last write failed. The spool retries every second.
	DiskFailing bool
	// SyncFailing means that the last sync failed. The spool retries every second.
	SyncFailing bool
}

// Stats returns a snapshot of the counters.
func (s *Spool) Stats() Stats {
	shippers := s.listShippers()
	st := Stats{
		Producer:      s.own.producer,
		Written:       s.own.lastAssigned() + s.queue.lastAssigned(),
		WithoutRecord: s.withoutRecord.Load(),
		Lost:          s.lostByRemoved.Load(),
		SyncFailing:   s.syncFailing.Load(),
	}
	s.addCapacityStats(&st)
	for i, l := range shippers {
		committed, lost := l.countSettled()
		if st.Lost += lost; i < 2 {
			st.Committed += committed
		}
	}
	st.DiskFailing = s.own.isWriteFailing()
	s.own.addStats(&st, shippers[0].settledRanges())
	s.queue.addStats(&st, shippers[1].settledRanges())
	for _, l := range shippers[2:] {
		l.adopted.addStats(&st, l.settledRanges())
	}
	return st
}

func (l *shipper) countSettled() (committed, lost uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	committed = countSeqs(l.committed)
	return committed, countSeqs(l.settled) - committed
}

func (j *journal) addStats(st *Stats, settled []records.Range) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st.OpenRequests += len(j.openStarts)
	st.Bytes += j.totalBytesLocked()
	if n, first := countUnsettled(j.heldRanges, settled); n > 0 {
		st.Waiting += n
		st.OldestWaiting = max(st.OldestWaiting, j.recordAge(first))
	}
}

func (j *journal) recordAge(seq uint64) time.Duration {
	for _, seg := range j.segments {
		if i := seg.searchEnd(seq); i < len(seg.ends) {
			return time.Since(j.openedAt) - seg.ends[i].writtenAt
		}
	}
	return 0 // committed and freed meanwhile
}

func (q *memoryQueue) addStats(st *Stats, settled []records.Range) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.savedJournal != nil {
		st.Bytes += q.savedJournal.totalBytes()
	}
	n, first := countUnsettled([]records.Range{{First: 1, Last: q.lastSeq}}, settled)
	st.Waiting += n
	for _, it := range q.items {
		if n > 0 && it.seq >= first {
			st.OldestWaiting = max(st.OldestWaiting, time.Since(it.queuedAt))
			return
		}
	}
}

func (j *journal) isWriteFailing() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writeFailing
}

func (j *journal) lastAssigned() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lastSeq
}

func (q *memoryQueue) lastAssigned() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lastSeq
}

func (j *journal) totalBytes() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.totalBytesLocked()
}

func (j *journal) totalBytesLocked() (sum int64) {
	for _, seg := range j.segments {
		sum += seg.size
	}
	return sum
}

func (j *journal) hasOpenStart(id [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.openStarts[id]
	return ok
}
