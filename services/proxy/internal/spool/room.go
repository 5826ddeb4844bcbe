package spool

import (
	"fmt"
	"sync/atomic"
)

// Level is how short of room the spool is.
type Level int

// The rungs of the ladder. Until the last one no record is refused, and no
// record ever loses more than its body.
const (
	// Roomy is the usual state.
	Roomy Level = iota
	// Crowded is above 70 % of the limit, or of what the disk has for us if
	// that is less: bodies are dropped until 60 % are reached, first of records
	// that the store has already, then of the oldest.
	Crowded
	// Bare is above 95 % of the limit: new records are kept without bodies.
	Bare
	// Shedding is above 95 % of the limit with Config.Shed and above 100 %
	// without, and when the disk refuses frames with the memory for them half
	// full: Start returns ErrFull. Requests that were begun are still recorded.
	// So are those that never begin, refused ones among them, until the limit
	// is passed by 5 %; then they are only counted.
	Shedding
)

// Percentages of the limit where the rungs are.
const (
	crowdedAt = 70
	enoughAt  = 60
	bareAt    = 95
	fullAt    = 100
	endAt     = 105
)

// room is the space that the spool may take on the disk.
type room struct {
	dir   string
	limit int64
	shed  bool
	// used is the size of the files of this process and of adopted ones.
	used atomic.Int64
	// disk is how much used could become before the disk is full, as far as
	// known.
	disk    atomic.Int64
	dropped atomic.Uint64
}

func newRoom(c Config) *room {
	r := &room{dir: c.Dir, limit: c.Bytes, shed: c.Shed}
	r.look()
	return r
}

// look asks the disk how much it has left.
func (r *room) look() {
	r.disk.Store(r.limit)
	if free, ok := diskFree(r.dir); ok {
		r.disk.Store(min(r.limit, r.used.Load()+free))
	}
}

// above reports whether more than a percentage of some size is taken.
func (r *room) above(percent, size int64) bool { return r.used.Load() > size/100*percent }

func (r *room) level() Level {
	switch {
	case r.above(fullAt, r.limit), r.shed && r.above(bareAt, r.limit):
		return Shedding
	case r.above(bareAt, r.limit):
		return Bare
	case r.above(crowdedAt, r.disk.Load()):
		return Crowded
	}
	return Roomy
}

// fitting returns the frame's buffer as it is to be written, and whether that
// is without the record's body: it is above 95 %.
func (s *Spool) fitting(buf []byte) (fit []byte, dropped bool) {
	if !s.room.above(bareAt, s.room.limit) {
		return buf, false
	}
	bare, had := s.strip(buf[Headroom:])
	if !had {
		return buf, false
	}
	return roomy(bare), true
}

// remember keeps in memory a record that the disk refused, whole while half of
// the memory is free. Then it goes without its body, for which the disk may
// have had no room, and then has the rest of the memory.
func (s *Spool) remember(id [16]byte, payload []byte, refusal error) error {
	if s.queue.put(id, payload, s.queue.limit/2) == nil {
		return nil
	}
	bare, had := s.strip(payload)
	if !had {
		bare = payload
	}
	if !had || s.append(kindEnd, id, roomy(bare)) != nil {
		if err := s.queue.put(id, bare, s.queue.limit); err != nil {
			return fmt.Errorf("spool: %w, and %w", refusal, err)
		}
	}
	if had {
		s.room.dropped.Add(1)
	}
	return nil
}

// measure adds the state of the ladder to an account.
func (s *Spool) measure(st *Stats) {
	st.Limit, st.Level, st.Dropped = s.room.limit, s.room.level(), s.room.dropped.Load()
	if s.own.refuses() && s.queue.halfFull() {
		st.Level = Shedding
	}
}
