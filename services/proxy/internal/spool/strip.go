package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// errUnreadable means that one segment cannot be read; the disk may be healthy.
var errUnreadable = errors.New("segment cannot be read")

// stripSegment drops the bodies of a segment that takes no more frames. A crash
// leaves either the old or the new file. Damaged ranges are copied unchanged.
// Settled records do not count in droppedBodies, because the store already has their
// bodies.
func (j *journal) stripSegment(seg *segmentState, strip func([]byte) ([]byte, bool), settled []records.Range) error {
	data, err := os.ReadFile(seg.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.markStripped(seg) // do not try this segment again
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	c := segment.CopyWithoutBodies(j.checksumSeed, data, strip)
	if err == nil && len(c.Dropped) > 0 {
		err = j.replaceSegment(seg, c)
	}
	if errors.Is(err, fs.ErrNotExist) { // the segment was freed meanwhile
		c.Dropped, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("drop bodies: %w", err)
	}
	j.markStripped(seg)
	unsettled := slices.DeleteFunc(c.Dropped, func(seq uint64) bool { return containsSeq(settled, seq) })
	j.capacity.droppedBodies.Add(uint64(len(unsettled)))
	return nil
}

// replaceSegment writes the copy to a file and renames the file over the segment. It
// removes the copy if the segment was freed meanwhile.
func (j *journal) replaceSegment(seg *segmentState, c segment.StrippedCopy) error {
	path := seg.path + segment.CopySuffix
	if err := segment.WriteAndSync(path, c.Data); err != nil {
		return err
	}
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	if !j.hasSegment(seg) {
		return os.Remove(path)
	}
	if err := os.Rename(path, seg.path); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	j.updateOffsets(seg, c)
	return segment.SyncDir(filepath.Dir(path))
}

func (j *journal) updateOffsets(seg *segmentState, c segment.StrippedCopy) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range seg.ends {
		seg.ends[i].offset = c.NewOffset(seg.ends[i].offset)
	}
	for id, at := range j.openStarts {
		if at.seg == seg {
			at.offset = c.NewOffset(at.offset)
			j.openStarts[id] = at
		}
	}
	j.addSize(seg, int64(len(c.Data))-seg.size)
}

func (j *journal) markStripped(seg *segmentState) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seg.stripped = true
}

func (j *journal) hasSegment(seg *segmentState) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.segments, seg)
}
