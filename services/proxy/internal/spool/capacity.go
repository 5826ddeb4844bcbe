package spool

import (
	"fmt"
	"sync/atomic"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// Level is how close the spool is to its capacity.
type Level int

// The levels in ascending order. Below Shedding, every record is stored, and the
// only part that a record may lose is its body.
const (
	// Normal is the usual state.
	Normal Level = iota
	// Trimming begins above 70 % of the limit. If the disk has less space than the
	// limit, it begins above 70 % of that space. Bodies are dropped until usage is
	// down to 60 %: first from records that the store already has, then from the
	// oldest records.
	Trimming
	// MetadataOnly begins above 95 % of the limit: new records are stored
	// without bodies.
	MetadataOnly
	// Shedding begins above 95 % of the limit with Config.Shed and above 100 %
	// without it. It also begins when writes to the disk fail and the memory
	// queue is more than half full. Start returns ErrFull, but requests that have a
	// START are still recorded. Requests without a START, such as rejected ones, are
	// recorded up to 105 % of the limit. Above 105 % they are only counted.
	Shedding
)

// Percentages of the limit; see Level.
const (
	trimAbovePercent    = 70
	trimToPercent       = 60
	metadataOnlyPercent = 95
	fullPercent         = 100
	refuseEndPercent    = 105
)

// diskCapacity tracks the disk space that the spool uses and may use.
type diskCapacity struct {
	dir   string
	limit int64
	shed  bool
	// used is the size of this process's files and of adopted ones.
	used atomic.Int64
	// available is the size that used can reach before the limit is reached or the
	// disk is full.
	available     atomic.Int64
	droppedBodies atomic.Uint64
}

func newDiskCapacity(c Config) *diskCapacity {
	r := &diskCapacity{dir: c.Dir, limit: c.MaxBytes, shed: c.Shed}
	r.refreshAvailable()
	return r
}

// refreshAvailable reads how much disk space is left.
func (r *diskCapacity) refreshAvailable() {
	r.available.Store(r.limit)
	if free, ok := freeDiskBytes(r.dir); ok {
		r.available.Store(min(r.limit, r.used.Load()+free))
	}
}

// isAbove reports whether more than a percentage of size is used.
func (r *diskCapacity) isAbove(percent, size int64) bool { return r.used.Load() > size/100*percent }

func (r *diskCapacity) level() Level {
	switch {
	case r.isAbove(fullPercent, r.limit), r.shed && r.isAbove(metadataOnlyPercent, r.limit):
		return Shedding
	case r.isAbove(metadataOnlyPercent, r.limit):
		return MetadataOnly
	case r.isAbove(trimAbovePercent, r.available.Load()):
		return Trimming
	}
	return Normal
}

// fitRecord returns the buffer to write. Above 95 % of the limit it drops the
// record's body; dropped reports whether there was one.
func (s *Spool) fitRecord(buf []byte) (fit []byte, dropped bool) {
	if !s.capacity.isAbove(metadataOnlyPercent, s.capacity.limit) {
		return buf, false
	}
	bare, had := s.stripBody(buf[Headroom:])
	if !had {
		return buf, false
	}
	return segment.WithHeadroom(bare), true
}

// queueInMemory stores in memory a record that could not be written to the disk;
// writeErr says why. It stores the whole record while the queue is at most half
// full. After that it drops the body and tries the disk again. If the disk still
// fails, it uses the other half of the queue.
func (s *Spool) queueInMemory(id [16]byte, payload []byte, writeErr error) error {
	if s.queue.add(id, payload, s.queue.limit/2) == nil {
		return nil
	}
	bare, had := s.stripBody(payload)
	if !had {
		bare = payload
	}
	if !had || s.appendFrame(segment.KindEnd, id, segment.WithHeadroom(bare)) != nil {
		if err := s.queue.add(id, bare, s.queue.limit); err != nil {
			return fmt.Errorf("spool: %w; %w", writeErr, err)
		}
	}
	if had {
		s.capacity.droppedBodies.Add(1)
	}
	return nil
}

func (s *Spool) addCapacityStats(st *Stats) {
	st.MaxBytes, st.Level, st.DroppedBodies = s.capacity.limit, s.capacity.level(), s.capacity.droppedBodies.Load()
	if s.own.isWriteFailing() && s.queue.isHalfFull() {
		st.Level = Shedding
	}
}
