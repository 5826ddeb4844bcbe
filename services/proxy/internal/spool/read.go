package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

const (
	maxBatchEntries = 200
	maxBatchBytes   = 1 << 20
)

// batch is the result of one readBatch call.
type batch struct {
	entries []records.Entry
	// last is the number of the last record in the batch, 0 if there is none.
	last uint64
	// lost holds the numbers of records that are damaged or removed.
	lost []uint64
}

// sendableRanges returns the ranges of numbers that may be sent.
func (j *journal) sendableRanges() []records.Range {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(j.heldRanges)
	for len(out) > 0 && out[len(out)-1].First > j.syncedSeq {
		out = out[:len(out)-1]
	}
	if n := len(out); n > 0 {
		out[n-1].Last = min(out[n-1].Last, j.syncedSeq)
	}
	return out
}

// readBatch returns a batch that begins at the first sendable number that is at
// least from. The batch is valid until the next call. If the file cannot be read
// now, the batch has no entries, but last is set.
func (j *journal) readBatch(from uint64) (batch, error) {
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	seg, marks, end := j.findBatch(from)
	if len(marks) == 0 {
		return batch{}, nil
	}
	b := batch{last: marks[len(marks)-1].seq}
	buf, err := j.readSegment(j.readBuffer, seg, marks[0].offset, end)
	if j.readBuffer = buf; cap(buf) > 2*maxBatchBytes {
		j.readBuffer = nil // do not retain the buffer of one giant record
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b, fmt.Errorf("read spool: %w", err)
	}
	for _, m := range marks {
		f, _, err := segment.Decode(j.checksumSeed, buf[min(m.offset-marks[0].offset, int64(len(buf))):])
		if err != nil || f.Seq != m.seq {
			b.lost = append(b.lost, m.seq)
			continue
		}
		b.entries = append(b.entries, records.Entry{Producer: j.producer, Seq: m.seq, Record: f.Payload})
	}
	return b, nil
}

// findBatch selects the ENDs of a batch and returns their segment and end offset.
func (j *journal) findBatch(from uint64) (seg *segmentState, marks []endPosition, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		i := seg.searchEnd(from)
		if i < len(seg.ends) {
			marks, end = j.limitBatch(seg, i)
			return seg, slices.Clone(marks), end
		}
	}
	return nil, nil, 0
}

// limitBatch takes ENDs from index i on until a batch is full. The bytes of an END
// are read up to the next END, including any STARTs in between.
func (j *journal) limitBatch(seg *segmentState, i int) ([]endPosition, int64) {
	begin, end, n := seg.ends[i].offset, seg.ends[i].offset, i
	for n < len(seg.ends) && n-i < maxBatchEntries && seg.ends[n].seq <= j.syncedSeq {
		next := seg.size
		if n+1 < len(seg.ends) {
			next = seg.ends[n+1].offset
		}
		if n > i && next-begin > maxBatchBytes {
			break
		}
		end = next
		n++
	}
	return seg.ends[i:n], end
}

// readSegment returns the bytes of the file between two offsets. It reuses buf if buf
// is large enough. The caller must hold filesMu, so that the file stays open.
func (j *journal) readSegment(buf []byte, seg *segmentState, from, to int64) ([]byte, error) {
	j.mu.Lock()
	f := j.openFileOf(seg)
	j.mu.Unlock()
	if f == nil {
		var err error
		if f, err = os.Open(seg.path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := int(max(0, min(to, info.Size())-from))
	buf = slices.Grow(buf[:0], size)[:size]
	n, err := f.ReadAt(buf, from)
	if n == len(buf) {
		err = nil
	}
	return buf[:n], err
}
