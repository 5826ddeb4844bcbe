package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/signalbox/signalbox/pkg/records"
)

// copySuffix marks the copy of a segment before it replaces the segment.
const copySuffix = ".copy"

// errUnreadable means that one segment cannot be read; the disk may be healthy.
var errUnreadable = errors.New("segment cannot be read")

// strippedCopy is a copy of a segment without bodies.
type strippedCopy struct {
	data    []byte
	moves   []move   // where each part of the segment begins in the copy
	dropped []uint64 // numbers of the END frames whose body was dropped
}

type move struct{ from, to int64 }

// stripSegment drops the bodies of a segment that takes no more frames. A crash
// leaves either the old or the new file. Damaged ranges are copied unchanged.
// Settled records do not count in droppedBodies, because the store already has their
// bodies.
func (j *journal) stripSegment(seg *segment, strip func([]byte) ([]byte, bool), settled []records.Range) error {
	data, err := os.ReadFile(seg.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.markStripped(seg) // do not try this segment again
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	c := copyWithoutBodies(j.checksumSeed, data, strip)
	if err == nil && len(c.dropped) > 0 {
		err = j.replaceSegment(seg, c)
	}
	if errors.Is(err, fs.ErrNotExist) { // the segment was freed meanwhile
		c.dropped, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("drop bodies: %w", err)
	}
	j.markStripped(seg)
	unsettled := slices.DeleteFunc(c.dropped, func(seq uint64) bool { return containsSeq(settled, seq) })
	j.capacity.droppedBodies.Add(uint64(len(unsettled)))
	return nil
}

// copyWithoutBodies copies every frame of data, without the record's body, and the
// bytes between frames.
func copyWithoutBodies(seed uint32, data []byte, strip func([]byte) ([]byte, bool)) (c strippedCopy) {
	end := 0 // the bytes before end are copied
	copyUntil := func(to int) {
		if end < to {
			c.moves = append(c.moves, move{int64(end), int64(len(c.data))})
			c.data = append(c.data, data[end:to]...)
		}
	}
	scanFrames(seed, data, func(off int, f frame) {
		copyUntil(off)
		end = off
		next := off + headerBytes + len(f.payload)
		var bare []byte
		had := false
		if f.kind == kindEnd {
			bare, had = strip(f.payload)
		}
		if !had || len(bare) >= len(f.payload) {
			copyUntil(next)
			end = next
			return
		}
		c.moves = append(c.moves, move{int64(off), int64(len(c.data))})
		d := newDraft(seed, f.kind, f.id, withHeadroom(bare))
		d.seal(f.seq)
		c.data = append(c.data, d.buf...)
		c.dropped = append(c.dropped, f.seq)
		end = next
	})
	copyUntil(len(data))
	return c
}

// newOffset translates an offset of the original into one of the copy.
func (c strippedCopy) newOffset(off int64) int64 {
	i := sort.Search(len(c.moves), func(i int) bool { return c.moves[i].from > off }) - 1
	return c.moves[i].to + off - c.moves[i].from
}

// replaceSegment writes the copy to a file and renames the file over the segment. It
// removes the copy if the segment was freed meanwhile.
func (j *journal) replaceSegment(seg *segment, c strippedCopy) error {
	path := seg.path + copySuffix
	if err := writeAndSync(path, c.data); err != nil {
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
	return syncDir(filepath.Dir(path))
}

func (j *journal) updateOffsets(seg *segment, c strippedCopy) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range seg.ends {
		seg.ends[i].offset = c.newOffset(seg.ends[i].offset)
	}
	j.addSize(seg, int64(len(c.data))-seg.size)
}

func (j *journal) markStripped(seg *segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seg.stripped = true
}

func (j *journal) hasSegment(seg *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.segments, seg)
}

func writeAndSync(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// removeStaleCopies removes the copies that a dead process left without renaming
// them.
func removeStaleCopies(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentSuffix+copySuffix) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
