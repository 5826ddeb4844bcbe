package spool

// Stats is a moment's account, for completeness and readiness.
type Stats struct {
	// Producer names this process's records on their way.
	Producer string
	// Written are the records of this process, Committed those of them that
	// the store holds, Lost those that were damaged on the disk before they
	// could be sent. Written is the other two and what is on its way.
	Written, Committed, Lost uint64
	// Open are the requests that are begun and not ended.
	Open int
	// Queued are the records in memory because the disk refused them.
	Queued int
	// Segments and Bytes are what is on the disk, adopted directories
	// included, of which there are Adopted.
	Segments int
	Bytes    int64
	Adopted  int
	// DiskFailing and CarrierFailing tell how the last attempt went.
	DiskFailing, CarrierFailing bool
}

// Stats returns the account of now.
func (s *Spool) Stats() Stats {
	lanes := s.lanesNow()
	st := Stats{
		Producer:       s.own.producer,
		Written:        s.own.last() + s.queue.last(),
		Queued:         s.queue.len(),
		Adopted:        len(lanes) - 2,
		CarrierFailing: s.carrierFailing.Load(),
	}
	for _, l := range lanes[:2] {
		settled, lost := l.account()
		st.Committed += settled - lost
		st.Lost += lost
	}
	s.own.measure(&st)
	st.Open, st.DiskFailing = s.own.state()
	for _, l := range lanes[2:] {
		l.journal.measure(&st)
	}
	return st
}

func (l *lane) account() (settled, lost uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return count(l.settled), l.lost
}

func (j *journal) measure(st *Stats) {
	j.mu.Lock()
	defer j.mu.Unlock()
	st.Segments += len(j.segments)
	for _, seg := range j.segments {
		st.Bytes += seg.size
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

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}
