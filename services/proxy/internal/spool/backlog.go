package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
// sent; it is valid until the next call. If the file cannot be read now, the batch is empty but says in last
// what it would have held.
func (j *journal) read(from uint64) (batch, error) {
	path, marks, end := j.find(from)
	if len(marks) == 0 {
		return batch{}, nil
	}
	b := batch{last: marks[len(marks)-1].seq}
	buf, err := readAt(j.scratch, path, marks[0].off, end)
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
func (j *journal) find(from uint64) (path string, marks []mark, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, seg := range j.segments {
		i := seg.from(from)
		if i < len(seg.marks) {
			marks, end = j.cut(seg, i)
			return seg.path, slices.Clone(marks), end
		}
	}
	return "", nil, 0
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
// it fits.
func readAt(buf []byte, path string, from, to int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
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

// free deletes, in order, the files whose every frame has its record under
// below, the first number that is not committed.
func (j *journal) free(below uint64) error {
	for {
		path := j.spent(below)
		if path == "" {
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("free spool segment: %w", err)
		}
		j.mu.Lock()
		j.segments[0] = nil
		j.segments = j.segments[1:]
		j.mu.Unlock()
	}
}

// spent returns the first segment's path if nothing needs it any more.
func (j *journal) spent(below uint64) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.segments) == 0 {
		return ""
	}
	seg := j.segments[0]
	active := j.file != nil && len(j.segments) == 1
	if active || seg.open > 0 || seg.last >= below {
		return ""
	}
	return seg.path
}

// done reports whether every frame has been freed.
func (j *journal) done() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.segments) == 0
}

// remove deletes an empty directory and gives up the lock. The lock file goes
// before the lock, so that nobody takes a directory that is about to go.
func (j *journal) remove() error {
	err := os.Remove(filepath.Join(j.dir, lockName))
	return errors.Join(err, os.Remove(j.dir), j.lock.Close())
}
