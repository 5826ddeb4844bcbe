package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// moveOpenStarts appends the open STARTs of the first segments again at the end of
// the journal, if these segments are needed for nothing else. Segments are deleted in
// order. So without the move, one long request would prevent the deletion of every
// later segment. If a START cannot be written, moveOpenStarts returns nil, because
// Stats already reports the failing disk.
func (j *journal) moveOpenStarts(below uint64) error {
	pinned := j.findPinnedSegments(below)
	if len(pinned) == 0 {
		return nil
	}
	for _, seg := range pinned {
		starts, err := j.readStarts(seg)
		if err != nil {
			return fmt.Errorf("move unfinished requests: %w", err)
		}
		for _, f := range starts {
			if j.moveStart(seg, f) != nil {
				return nil
			}
		}
	}
	return j.sync() // before the old segments are deleted
}

// findPinnedSegments returns the first segments, if all their records are settled and
// some of their STARTs are open. It returns none if the open STARTs take more than
// half of the bytes: a move must free at least as much as it writes.
func (j *journal) findPinnedSegments(below uint64) []*segmentState {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, size, needed := 0, int64(0), int64(0)
	for n < len(j.segments)-1 && j.segments[n].neededUntil < below {
		size += j.segments[n].size
		needed += j.segments[n].openStartBytes
		n++
	}
	if j.closed || needed == 0 || needed > size/2 {
		return nil
	}
	return slices.Clone(j.segments[:n])
}

// readStarts returns all STARTs of a segment if at least one of them is open.
// moveStart skips the STARTs that are not open.
func (j *journal) readStarts(seg *segmentState) (starts []segment.Frame, err error) {
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	if !j.hasOpenStarts(seg) {
		return nil, nil
	}
	data, err := j.readSegment(nil, seg, 0, seg.size)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	segment.Scan(j.checksumSeed, data, func(_ int, f segment.Frame) {
		if f.Kind == segment.KindStart {
			starts = append(starts, f)
		}
	})
	return starts, nil
}

func (j *journal) hasOpenStarts(seg *segmentState) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return seg.openStarts > 0
}

// moveStart appends a START again, unless its request has ended in the meantime.
func (j *journal) moveStart(seg *segmentState, f segment.Frame) error {
	d := segment.NewDraft(j.checksumSeed, segment.KindStart, f.ID, segment.WithHeadroom(f.Payload))
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.openStarts[f.ID].seg != seg || j.closed {
		return nil
	}
	return j.writeFrame(d, segment.KindStart, f.ID)
}
