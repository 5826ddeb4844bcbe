package spool

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// maxSegmentBytes limits the size of a segment while no new segment can be created.
// Recovery reads a whole segment into memory, so a segment must not grow further.
const maxSegmentBytes = 64 << 20

// appendFrame writes the frame with one write call. It gives an END the next sequence
// number.
func (j *journal) appendFrame(d segment.Draft, kind byte, id [16]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return ErrClosed
	}
	return j.writeFrame(d, kind, id)
}

// writeFrame is appendFrame for callers that hold mu.
func (j *journal) writeFrame(d segment.Draft, kind byte, id [16]byte) error {
	seq := uint64(0)
	if kind == segment.KindEnd {
		seq = j.lastSeq + 1
	}
	d.Seal(seq)
	off, err := j.appendBytes(d.Buf)
	j.writeFailing = err != nil
	if err != nil {
		return err
	}
	j.trackFrame(j.segments[len(j.segments)-1], kind, id, seq, off, int64(len(d.Buf)))
	return nil
}

// appendBytes appends buf as a whole or not at all and returns its offset.
func (j *journal) appendBytes(buf []byte) (int64, error) {
	if err := j.ensureSegment(int64(len(buf))); err != nil {
		return 0, err
	}
	seg := j.segments[len(j.segments)-1]
	off := seg.size
	if _, err := j.activeFile.Write(buf); err != nil {
		j.truncateTo(off)
		return 0, fmt.Errorf("append to spool: %w", err)
	}
	j.addSize(seg, int64(len(buf)))
	return off, nil
}

func (j *journal) addSize(seg *segmentState, n int64) {
	seg.size += n
	j.capacity.used.Add(n)
}

// truncateTo removes the bytes from off on. If that fails, the segment is retired
// and the bytes remain at its end.
func (j *journal) truncateTo(off int64) {
	if j.activeFile.Truncate(off) != nil {
		j.retireActiveSegment()
	}
}

// ensureSegment makes sure that the active segment can take n more bytes. If a new
// segment cannot be created, for lack of file descriptors or disk space, the old
// segment grows up to maxSegmentBytes.
func (j *journal) ensureSegment(n int64) error {
	if j.activeFile == nil {
		return j.rotateSegment()
	}
	size := j.segments[len(j.segments)-1].size
	if size == 0 || size+n <= j.rotateAt {
		return nil
	}
	if err := j.rotateSegment(); err != nil && size+n > maxSegmentBytes {
		return err
	}
	return nil
}

func (j *journal) rotateSegment() error {
	if err := j.lockOwnDir(); err != nil {
		return fmt.Errorf("open spool directory: %w", err)
	}
	index := uint64(1)
	if n := len(j.segments); n > 0 {
		index = j.segments[n-1].index + 1
	}
	path := filepath.Join(j.dir, segment.FormatName(index))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("create spool segment: %w", err)
	}
	j.retireActiveSegment()
	j.activeFile, j.hasNewSegment = f, true
	j.segments = append(j.segments, &segmentState{path: path, index: index})
	return nil
}
