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

// copySuffix marks the copy of a segment before it takes the segment's place.
const copySuffix = ".copy"

// errUnreadable means that one segment is in trouble, and not the disk.
var errUnreadable = errors.New("segment cannot be read")

// copied is a segment without bodies, and where what is in it was before.
type copied struct {
	data    []byte
	moves   []move
	dropped []uint64 // the numbers of the ENDs that had a body
}

type move struct{ from, to int64 }

// strip drops the bodies of a segment that is no longer written to. A crash
// leaves the file as it was or as it is to be, and what is damaged in it stays
// as it is. Bodies of settled records do not count as dropped: the store has
// them.
func (j *journal) strip(seg *segment, strip func([]byte) ([]byte, bool), settled []records.Range) error {
	data, err := os.ReadFile(seg.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.markBare(seg) // nobody can drop anything here
		return fmt.Errorf("%w: %w", errUnreadable, err)
	}
	c := copyBare(j.key, data, strip)
	if err == nil && len(c.dropped) > 0 {
		err = j.replace(seg, c)
	}
	if errors.Is(err, fs.ErrNotExist) { // it was freed
		c.dropped, err = nil, nil
	}
	if err != nil {
		return fmt.Errorf("drop bodies: %w", err)
	}
	j.markBare(seg)
	unsettled := slices.DeleteFunc(c.dropped, func(seq uint64) bool { return contains(settled, seq) })
	j.room.dropped.Add(uint64(len(unsettled)))
	return nil
}

// copyBare copies every frame, without a body where there is one, and what is
// between them.
func copyBare(key uint32, data []byte, strip func([]byte) ([]byte, bool)) (c copied) {
	end := 0
	verbatim := func(to int) {
		if end < to {
			c.moves = append(c.moves, move{int64(end), int64(len(c.data))})
			c.data = append(c.data, data[end:to]...)
		}
	}
	scan(key, data, func(off int, f frame) {
		verbatim(off)
		end = off
		next := off + headerBytes + len(f.payload)
		var bare []byte
		had := false
		if f.kind == kindEnd {
			bare, had = strip(f.payload)
		}
		if !had || len(bare) >= len(f.payload) {
			verbatim(next)
			end = next
			return
		}
		c.moves = append(c.moves, move{int64(off), int64(len(c.data))})
		d := newDraft(key, f.kind, f.id, roomy(bare))
		d.seal(f.seq)
		c.data = append(c.data, d.buf...)
		c.dropped = append(c.dropped, f.seq)
		end = next
	})
	verbatim(len(data))
	return c
}

// at returns where the byte at an offset of the original is in the copy.
func (c copied) at(off int64) int64 {
	i := sort.Search(len(c.moves), func(i int) bool { return c.moves[i].from > off }) - 1
	return c.moves[i].to + off - c.moves[i].from
}

// replace puts the copy in the segment's place, unless that has been freed.
func (j *journal) replace(seg *segment, c copied) error {
	path := seg.path + copySuffix
	if err := writeSynced(path, c.data); err != nil {
		return err
	}
	j.files.Lock()
	defer j.files.Unlock()
	if !j.has(seg) {
		return os.Remove(path)
	}
	if err := os.Rename(path, seg.path); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	j.relocate(seg, c)
	return syncDir(filepath.Dir(path))
}

func (j *journal) relocate(seg *segment, c copied) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range seg.marks {
		seg.marks[i].off = c.at(seg.marks[i].off)
	}
	j.grow(seg, int64(len(c.data))-seg.size)
}

func (j *journal) markBare(seg *segment) {
	j.mu.Lock()
	defer j.mu.Unlock()
	seg.bare = true
}

func (j *journal) has(seg *segment) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Contains(j.segments, seg)
}

func writeSynced(path string, data []byte) error {
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

// dropCopies removes the copies that a dead process did not put in place.
func dropCopies(dir string) error {
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
