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
	maxBatchBytes   = 512 << 10
)

// batch is the result of one readBatch call.
type batch struct {
	entries []records.Entry
	// last is the number of the last record in the batch, 0 if there is none.
	last uint64
	// lost holds the numbers of records that are damaged or removed.
	lost []uint64
}

// sendableRanges returns the sequence numbers of the records that may be sent: those
// that are synced to the disk.
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

// readBatch returns a batch of sendable records. The first has the sequence number from,
// or the next higher one. The batch is valid until the next call. If the file cannot be
// read now, the batch has no entries, but last is set.
func (j *journal) readBatch(from uint64) (batch, error) {
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	seg, ends, readTo := j.findBatch(from)
	if len(ends) == 0 {
		return batch{}, nil
	}
	b := batch{last: ends[len(ends)-1].seq}
	buf, err := j.readSegment(j.readBuffer, seg, ends[0].offset, readTo)
	if j.readBuffer = buf; cap(buf) > 2*maxBatchBytes {
		j.readBuffer = nil // do not retain the buffer of one giant record
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b, fmt.Errorf("read spool: %w", err)
	}
	for _, e := range ends {
		f, _, err := segment.Decode(j.checksumSeed, buf[min(e.offset-ends[0].offset, int64(len(buf))):])
		if err != nil || f.Seq != e.seq {
			b.lost = append(b.lost, e.seq)
			continue
		}
		b.entries = append(b.entries, records.Entry{Producer: j.producer, Seq: e.seq, Record: f.Payload})
	}
	return b, nil
}

// findBatch returns the segment of the next batch, the positions of its END frames, and
// the offset after the last byte to read.
func (j *journal) findBatch(from uint64) (seg *segmentState, ends []endPosition, readTo int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		i := seg.searchEnd(from)
		if i < len(seg.ends) {
			ends, readTo = j.limitBatch(seg, i)
			return seg, slices.Clone(ends), readTo
		}
	}
	return nil, nil, 0
}

// limitBatch takes END frames from index i on until a batch is full. The bytes of an END
// frame are read up to the next END frame, including any START frames in between.
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
