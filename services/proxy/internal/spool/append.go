package spool

import (
	"fmt"
	"os"
	"path/filepath"
)

// segmentLimit is where a segment that cannot be rotated stops to grow:
// recovery reads a segment into memory.
const segmentLimit = 64 << 20

// append gives an END its number and writes the frame with one call.
func (j *journal) append(d draft, kind byte, id [16]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	return j.put(d, kind, id)
}

func (j *journal) put(d draft, kind byte, id [16]byte) error {
	seq := uint64(0)
	if kind == kindEnd {
		seq = j.seq + 1
	}
	d.seal(seq)
	off, err := j.write(d.buf)
	j.failing = err != nil
	if err != nil {
		return err
	}
	j.note(j.segments[len(j.segments)-1], kind, id, seq, off, int64(len(d.buf)))
	return nil
}

// write appends all of buf or nothing of it.
func (j *journal) write(buf []byte) (int64, error) {
	if err := j.space(int64(len(buf))); err != nil {
		return 0, err
	}
	seg := j.segments[len(j.segments)-1]
	off := seg.size
	if _, err := j.file.Write(buf); err != nil {
		j.undo(off)
		return 0, fmt.Errorf("append to spool: %w", err)
	}
	j.grow(seg, int64(len(buf)))
	return off, nil
}

func (j *journal) grow(seg *segment, n int64) {
	seg.size += n
	j.room.used.Add(n)
}

// undo cuts off what was written from off on. What cannot be cut off is left as
// the tail of a file that gets nothing more.
func (j *journal) undo(off int64) {
	if j.file.Truncate(off) != nil {
		j.retire()
	}
}

// space sees to a segment that takes n more bytes. If a new one cannot be made,
// be it for lack of descriptors or of disk, the old one goes on.
func (j *journal) space(n int64) error {
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
	if err := j.occupy(); err != nil {
		return fmt.Errorf("spool directory: %w", err)
	}
	index := uint64(1)
	if n := len(j.segments); n > 0 {
		index = j.segments[n-1].index + 1
	}
	path := filepath.Join(j.dir, segmentName(index))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("new spool segment: %w", err)
	}
	j.retire()
	j.file, j.grown = f, true
	j.segments = append(j.segments, &segment{path: path, index: index})
	return nil
}
