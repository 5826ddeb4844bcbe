package gate

// Slot is the right of one request to be in progress. Release does nothing for the
// zero Slot.
type Slot struct {
	gate    *Gate
	account *account
	key     *usage
	// bytes is the memory that the request has reserved.
	bytes int64
}

// ReserveBytes reserves memory for a body. Call it before using the memory. If no
// memory is free, it returns ErrFull. A body that is the only one of the gate or of
// its key always fits. Otherwise a body above the limit could never be served.
func (s *Slot) ReserveBytes(n int64) error {
	g := s.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	s.addBytes(n)
	if limit := g.limits.Bytes; limit == 0 || s.fitsKeyLimit(limit) && s.fitsTotalLimit(limit) {
		return nil
	}
	s.addBytes(-n)
	return ErrFull
}

func (s *Slot) fitsKeyLimit(limit int64) bool {
	return s.key.bytes <= maxPerKey(limit) || s.key.bytes == s.bytes
}

func (s *Slot) fitsTotalLimit(limit int64) bool {
	all := s.gate.total.bytes
	return all <= limit-reserve(limit) || all == s.bytes || all <= limit && s.account.bytes <= s.gate.fairShare(limit)
}

// ReleaseBytes frees part of the reserved memory before Release.
func (s *Slot) ReleaseBytes(n int64) {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.addBytes(-n)
}

func (s *Slot) addBytes(n int64) {
	s.bytes += n
	s.key.bytes += n
	s.account.bytes += n
	s.gate.total.bytes += n
}

// Release frees the slot with all its reserved bytes, and admits waiting requests. The memory must not be in use any more. A second call does nothing.
func (s *Slot) Release() {
	g := s.gate
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.addBytes(-s.bytes)
	s.key.requests--
	s.account.requests--
	g.total.requests--
	g.admitWaiters()
	*s = Slot{}
}
