package spool

import (
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
)

// journal is one producer's directory. That of a living process is appended
// to; that of a dead one is only read, so that no number is given twice.
type journal struct {
	producer string
	dir      string
	key      uint32
	rotateAt int64
	room     *room
	lock     *dirLock  // nil as long as there is no directory
	born     time.Time // or adopted
	// scratch is what read reads into; whoever ships owns it.
	scratch []byte

	// files is held by whoever looks for a frame in a file, deletes a file or
	// puts another in its place. It is taken before mu, and never on the way
	// of a request.
	files sync.Mutex
	// syncing is held while files are synced and closed.
	syncing sync.Mutex

	mu       sync.Mutex
	segments []*segment
	// file is the last segment's, nil if nothing may be appended to it.
	file *os.File
	// retired were rotated away and wait for their last sync.
	retired []retired
	grown   bool // a segment was made since the last sync
	failing bool // the last append or probe failed
	closed  bool
	open    map[[16]byte]place
	held    []records.Range
	seq     uint64 // the last END's number
	safe    uint64 // the last END that has been synced
}

// place is where a START is, and how long.
type place struct {
	seg   *segment
	bytes int64
}

func newJournal(producer string, c Config, room *room) *journal {
	return &journal{
		producer: producer,
		dir:      filepath.Join(c.Dir, producer),
		key:      crc32.Checksum([]byte(producer), castagnoli),
		rotateAt: c.SegmentBytes,
		room:     room,
		born:     time.Now(),
		open:     map[[16]byte]place{},
	}
}

// note keeps account of a frame that is in the file. Of a START that is there
// twice the later one counts.
func (j *journal) note(seg *segment, kind byte, id [16]byte, seq uint64, off, bytes int64) {
	if kind == kindStart {
		j.pair(id, 0)
		j.open[id] = place{seg, bytes}
		seg.open++
		seg.needed += bytes
		return
	}
	seg.marks = append(seg.marks, mark{seq, off, time.Since(j.born)})
	seg.last = max(seg.last, seq)
	j.seq = max(j.seq, seq)
	j.hold(seq)
	j.pair(id, seq)
}

func (j *journal) hold(seq uint64) {
	if n := len(j.held); n > 0 && j.held[n-1].Last+1 == seq {
		j.held[n-1].Last = seq
		return
	}
	j.held = append(j.held, records.Range{First: seq, Last: seq})
}

// pair notes that the END with this number closed the id's START, if there was
// one.
func (j *journal) pair(id [16]byte, seq uint64) {
	if at, ok := j.open[id]; ok {
		delete(j.open, id)
		at.seg.open--
		at.seg.needed -= at.bytes
		at.seg.last = max(at.seg.last, seq)
	}
}

// release forgets a START whose record is safe elsewhere.
func (j *journal) release(id [16]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pair(id, 0)
}

// giveUp forgets a START of which there will be no record. After the end of the
// writing it is left to the next start, and giveUp reports false.
func (j *journal) giveUp(id [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.pair(id, 0)
	return true
}
