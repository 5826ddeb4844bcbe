package spool

import (
	"cmp"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
)

// begun says where a START is.
type begun struct {
	id   [16]byte
	seg  *segment
	from int64
	to   int64
}

// restore rebuilds a dead producer's journal from its files and writes, into a
// new segment of it, an END for every START that has none. Nothing is sent
// before that is synced. Whenever it dies itself, the next one finds the ENDs
// that it wrote and adds only those that are missing.
func restore(c Config, j *journal) error {
	files, err := listSegments(j.dir)
	if err != nil {
		return err
	}
	box := quarantine{dir: filepath.Join(c.Dir, quarantineName), log: c.Log}
	starts := map[[16]byte]begun{}
	damaged := 0
	for _, f := range files {
		n, err := j.load(f, starts, box)
		if err != nil {
			return err
		}
		damaged += n
	}
	// The damaged bytes may have been ENDs that were sent. Their numbers are
	// passed over, or a record that gets one would count as committed.
	j.seq += uint64(damaged / headerBytes)
	abort(c, j, starts, box)
	if err := j.seal(); err != nil {
		c.Log.Error("adopted spool cannot be synced", "producer", j.producer, "error", err)
	}
	return nil
}

// load takes one file into the journal and returns how much of it is damaged.
// It syncs the file: its process may have been killed before it could.
func (j *journal) load(file segmentFile, starts map[[16]byte]begun, box quarantine) (int, error) {
	data, err := readSynced(file.path)
	if err != nil {
		return 0, err
	}
	seg := &segment{path: file.path, index: file.index, size: int64(len(data))}
	j.segments = append(j.segments, seg)
	bad := scan(j.key, data, func(off int, f frame) {
		if f.kind == kindStart {
			starts[f.id] = begun{f.id, seg, int64(off), int64(off + headerBytes + len(f.payload))}
		} else {
			delete(starts, f.id)
		}
		j.seq = max(j.seq, f.seq) // a START's counts too: the ENDs before it may be freed
		j.note(seg, f.kind, f.id, f.seq, int64(off))
	})
	box.keepDamage(j.producer, file, data, bad)
	n := 0
	for _, b := range bad {
		n += b.to - b.from
	}
	return n, nil
}

func readSynced(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	n, err := f.ReadAt(data, 0)
	if n == len(data) {
		err = nil
	}
	return data[:n], err
}

// abort ends the requests that were cut off, in the order of their beginning.
// One that cannot be ended keeps its file for the next start.
func abort(c Config, j *journal, starts map[[16]byte]begun, box quarantine) {
	var d draft
	for _, b := range inOrder(starts) {
		if err := abortOne(c, j, b, box, &d); err != nil {
			c.Log.Error("unfinished request not ended", "producer", j.producer,
				"request_id", hex.EncodeToString(b.id[:]), "error", err)
		}
	}
}

func abortOne(c Config, j *journal, b begun, box quarantine, d *draft) error {
	data, err := readAt(b.seg.path, b.from, b.to)
	if err != nil {
		return err
	}
	f, _, err := decode(j.key, data)
	if err != nil {
		return err
	}
	record, err := c.Recover(f.payload)
	if err == nil && len(record) > maxPayload {
		err = ErrTooLong
	}
	if err != nil {
		return box.keepStart(j, b.id, f.payload, err)
	}
	d.fill(j.key, kindEnd, b.id, record)
	return j.append(d, kindEnd, b.id)
}

func inOrder(starts map[[16]byte]begun) []begun {
	out := make([]begun, 0, len(starts))
	for _, b := range starts {
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b begun) int {
		return cmp.Or(cmp.Compare(a.seg.index, b.seg.index), cmp.Compare(a.from, b.from))
	})
	return out
}
