package spool

import (
	"hash/crc32"
	"os"
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
	lock     *os.File
	born     time.Time // or adopted
	// scratch is what read reads into; whoever ships owns it.
	scratch []byte

	mu       sync.Mutex
	segments []*segment
	// file is the last segment's, nil if nothing may be appended to it.
	file *os.File
	// retired were rotated away and wait for their last sync.
	retired []*os.File
	grown   bool // a segment was made since the last sync
	failing bool // the last append or probe failed
	closed  bool
	open    map[[16]byte]*segment
	held    []records.Range
	seq     uint64 // the last END's number
	safe    uint64 // the last END that has been synced
}

func newJournal(dir, producer string, rotateAt int64, lock *os.File) *journal {
	return &journal{
		producer: producer,
		dir:      dir,
		key:      crc32.Checksum([]byte(producer), castagnoli),
		rotateAt: rotateAt,
		lock:     lock,
		born:     time.Now(),
		open:     map[[16]byte]*segment{},
	}
}

// note keeps account of a frame that is in the file.
func (j *journal) note(seg *segment, kind byte, id [16]byte, seq uint64, off int64) {
	if kind == kindStart {
		if _, twice := j.open[id]; !twice {
			j.open[id] = seg
			seg.open++
		}
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

// pair notes that the END with this number closed the id's START, and reports
// whether there was one.
func (j *journal) pair(id [16]byte, seq uint64) bool {
	seg, ok := j.open[id]
	if ok {
		delete(j.open, id)
		seg.open--
		seg.last = max(seg.last, seq)
	}
	return ok
}

// release forgets a START whose record is safe elsewhere or given up. It
// reports whether there was one.
func (j *journal) release(id [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.pair(id, 0)
}
