package spool

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"

	"github.com/signalbox/signalbox/pkg/records"
)

// segmentLimit is where a segment that cannot be rotated stops to grow.
const segmentLimit = 1 << 30

// journal is one producer's directory. That of a living process is appended
// to; that of a dead one is only read, once its recovery has been appended.
type journal struct {
	producer string
	dir      string
	key      uint32
	rotateAt int64
	lock     *os.File

	mu       sync.Mutex
	segments []*segment
	// file is the last segment's, nil if nothing may be appended to it.
	file *os.File
	// retired were rotated away and wait for their last sync.
	retired []*os.File
	grown   bool // a segment was made since the last sync
	failing bool // the last append failed
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
		open:     map[[16]byte]*segment{},
	}
}

// append gives an END its number and writes the frame with one call.
func (j *journal) append(d *draft, kind byte, id [16]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	seq := j.seq
	if kind == kindEnd {
		seq++
	}
	d.seal(seq)
	off, err := j.write(d.buf)
	j.failing = err != nil
	if err != nil {
		return err
	}
	j.note(j.segments[len(j.segments)-1], kind, id, seq, off)
	return nil
}

// write appends all of buf or nothing of it.
func (j *journal) write(buf []byte) (int64, error) {
	if err := j.room(int64(len(buf))); err != nil {
		return 0, err
	}
	seg := j.segments[len(j.segments)-1]
	off := seg.size
	if _, err := j.file.Write(buf); err != nil {
		if j.file.Truncate(off) != nil {
			// What cannot be cut off is left as the torn tail of a file
			// that gets nothing more.
			j.retired = append(j.retired, j.file)
			j.file = nil
		}
		return 0, fmt.Errorf("append to spool: %w", err)
	}
	seg.size += int64(len(buf))
	return off, nil
}

// room sees to a segment that takes n more bytes. If a new one cannot be made,
// be it for lack of descriptors or of disk, the old one goes on.
func (j *journal) room(n int64) error {
	if j.file == nil {
		return j.rotate()
	}
	size := j.segments[len(j.segments)-1].size
	if size == 0 || size+n <= j.rotateAt {
		return nil
	}
	if err := j.rotate(); err != nil && size+n > segmentLimit {
		return err
	}
	return nil
}

func (j *journal) rotate() error {
	index := uint64(1)
	if n := len(j.segments); n > 0 {
		index = j.segments[n-1].index + 1
	}
	path := filepath.Join(j.dir, segmentName(index))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("new spool segment: %w", err)
	}
	if j.file != nil {
		j.retired = append(j.retired, j.file)
	}
	j.file, j.grown = f, true
	j.segments = append(j.segments, &segment{path: path, index: index})
	return nil
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
	seg.marks = append(seg.marks, mark{seq, off})
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

// pair notes that the END with this number closed the id's START.
func (j *journal) pair(id [16]byte, seq uint64) {
	if seg, ok := j.open[id]; ok {
		delete(j.open, id)
		seg.open--
		seg.last = max(seg.last, seq)
	}
}

// release forgets a START whose record is safe elsewhere.
func (j *journal) release(id [16]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pair(id, 0)
}
