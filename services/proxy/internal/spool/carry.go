package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// carry repeats, at the end, the STARTs that alone keep the first files, so that
// a long request does not keep all that came after it. A disk that refuses
// them is told of elsewhere.
func (j *journal) carry(below uint64) error {
	stuck := j.stuck(below)
	if len(stuck) == 0 {
		return nil
	}
	for _, seg := range stuck {
		starts, err := j.startsOf(seg)
		if err != nil {
			return fmt.Errorf("carry unfinished requests on: %w", err)
		}
		for _, f := range starts {
			if j.repeat(seg, f) != nil {
				return nil
			}
		}
	}
	return j.sync() // before the files go that had them
}

// stuck returns the first segments, all whose records are committed, if STARTs
// keep them and are less than half of what they hold. So whatever is written
// again makes at least as much room.
func (j *journal) stuck(below uint64) []*segment {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, size, needed := 0, int64(0), int64(0)
	for n < len(j.segments)-1 && j.segments[n].last < below {
		size += j.segments[n].size
		needed += j.segments[n].needed
		n++
	}
	if j.closed || needed == 0 || needed > size/2 {
		return nil
	}
	return slices.Clone(j.segments[:n])
}

// startsOf returns the STARTs of a segment that have no END.
func (j *journal) startsOf(seg *segment) (starts []frame, err error) {
	j.files.Lock()
	defer j.files.Unlock()
	if !j.keeps(seg) {
		return nil, nil
	}
	data, err := j.readAt(nil, seg, 0, seg.size)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	scan(j.key, data, func(_ int, f frame) {
		if f.kind == kindStart {
			starts = append(starts, f)
		}
	})
	return starts, nil
}

func (j *journal) keeps(seg *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return seg.open > 0
}

// repeat appends a START again, unless its request has ended meanwhile.
func (j *journal) repeat(seg *segment, f frame) error {
	d := newDraft(j.key, kindStart, f.id, roomy(f.payload))
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.open[f.id].seg != seg || j.closed {
		return nil
	}
	return j.put(d, kindStart, f.id)
}
