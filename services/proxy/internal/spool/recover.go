package spool

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
)

// begun says where a START is.
type begun struct {
	id      [16]byte
	journal *journal
	seg     *segment
	from    int64
	to      int64
}

// recovery reads what dead producers left, oldest first, and makes records of
// the requests that were cut off. These get numbers of a living producer: which
// was a dead one's last cannot be known if its files are damaged, and a number
// must be neither given twice nor passed over.
type recovery struct {
	config Config
	box    quarantine
	// starts are those whose END has not been met. It may be in a later
	// directory, where a recovery put it that died itself.
	starts map[[16]byte]begun
}

func newRecovery(c Config) *recovery {
	box := quarantine{dir: filepath.Join(c.Dir, quarantineName), log: c.Log}
	return &recovery{config: c, box: box, starts: map[[16]byte]begun{}}
}

// restore rebuilds a dead producer's journal from its files. It syncs them: the
// process may have been killed before it could.
func (r *recovery) restore(j *journal) error {
	files, err := listSegments(j.dir)
	if err := cmp.Or(err, syncDir(j.dir)); err != nil {
		return err
	}
	for i, f := range files {
		if err := r.load(j, f, i == len(files)-1); err != nil {
			// Their ENDs may be in what was not read.
			maps.DeleteFunc(r.starts, func(_ [16]byte, b begun) bool { return b.journal == j })
			return err
		}
	}
	return j.seal()
}

// load takes one file into the journal.
func (r *recovery) load(j *journal, file segmentFile, last bool) error {
	data, err := readSynced(file.path)
	if err != nil {
		return err
	}
	seg := &segment{path: file.path, index: file.index, size: int64(len(data))}
	j.segments = append(j.segments, seg)
	bad, tail := scan(j.key, data, func(off int, f frame) {
		r.match(begun{f.id, j, seg, int64(off), int64(off + headerBytes + len(f.payload))}, f.kind)
		j.note(seg, f.kind, f.id, f.seq, int64(off))
	})
	if tail > 0 && last {
		r.config.Log.Warn("spool ends with part of a frame", "producer", j.producer, "bytes", tail)
	} else if tail > 0 {
		bad = append(bad, span{len(data) - tail, len(data)})
	}
	r.box.keepDamage(j.producer, file, data, bad)
	return nil
}

// match pairs ENDs with STARTs across directories; note does it within one.
func (r *recovery) match(b begun, kind byte) {
	if kind == kindStart {
		r.starts[b.id] = b
		return
	}
	if start, ok := r.starts[b.id]; ok && start.journal != b.journal {
		start.journal.release(b.id)
	}
	delete(r.starts, b.id)
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
