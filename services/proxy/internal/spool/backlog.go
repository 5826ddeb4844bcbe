package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
)

const (
	batchEntries = 200
	batchBytes   = 1 << 20
)

// batch is what one read finds, from one number to another.
type batch struct {
	entries []records.Entry
	// last is the highest number looked at, 0 if there was none.
	last uint64
	// lost are the numbers that can never be read again.
	lost []uint64
}

// ready returns the ranges of numbers that may be sent.
func (j *journal) ready() []records.Range {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(j.held)
	for len(out) > 0 && out[len(out)-1].First > j.safe {
		out = out[:len(out)-1]
	}
	if n := len(out); n > 0 {
		out[n-1].Last = min(out[n-1].Last, j.safe)
	}
	return out
}

// read returns a batch that begins at the first number from on that may be
// sent; it is valid until the next call. If the file cannot be read now, the
// batch is empty but says in last what it would have held.
func (j *journal) read(from uint64) (batch, error) {
	j.files.Lock()
	defer j.files.Unlock()
	seg, marks, end := j.find(from)
	if len(marks) == 0 {
		return batch{}, nil
	}
	b := batch{last: marks[len(marks)-1].seq}
	buf, err := j.readAt(j.scratch, seg, marks[0].off, end)
	if j.scratch = buf; cap(buf) > 2*batchBytes {
		j.scratch = nil // one giant record must not stay
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return b, fmt.Errorf("read spool: %w", err)
	}
	for _, m := range marks {
		f, _, err := decode(j.key, buf[min(m.off-marks[0].off, int64(len(buf))):])
		if err != nil || f.seq != m.seq {
			b.lost = append(b.lost, m.seq)
			continue
		}
		b.entries = append(b.entries, records.Entry{Producer: j.producer, Seq: m.seq, Record: f.payload})
	}
	return b, nil
}

// find chooses the ENDs of a batch and returns where in which file they are.
func (j *journal) find(from uint64) (seg *segment, marks []mark, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		i := seg.from(from)
		if i < len(seg.marks) {
			marks, end = j.cut(seg, i)
			return seg, slices.Clone(marks), end
		}
	}
	return nil, nil, 0
}

// cut takes ENDs from the i-th on until a batch is full. Where an END's frame
// ends the next one's may begin, or STARTs come between: they are read along.
func (j *journal) cut(seg *segment, i int) ([]mark, int64) {
	begin, end, n := seg.marks[i].off, seg.marks[i].off, i
	for n < len(seg.marks) && n-i < batchEntries && seg.marks[n].seq <= j.safe {
		next := seg.size
		if n+1 < len(seg.marks) {
			next = seg.marks[n+1].off
		}
		if n > i && next-begin > batchBytes {
			break
		}
		end = next
		n++
	}
	return seg.marks[i:n], end
}

// readAt returns what there is of the file between two offsets, in buf where
// it fits. files must be held: an open file is closed under it.
func (j *journal) readAt(buf []byte, seg *segment, from, to int64) ([]byte, error) {
	j.mu.Lock()
	f := j.opened(seg)
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
