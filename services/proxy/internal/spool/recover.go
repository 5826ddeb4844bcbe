package spool

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// begun is the START of a request, and where it was found.
type begun struct {
	id      [16]byte
	journal *journal
	index   uint64 // of the segment
	off     int
	payload []byte
}

// recovery reads what dead producers left, oldest first, and makes records of
// the requests that were cut off. These get numbers of a living producer: which
// was a dead one's last cannot be known if its files are damaged, and a number
// must be neither given twice nor passed over.
type recovery struct {
	config Config
	own    *journal
	box    quarantine
	// starts are those whose END has not been met. It may be in a later
	// directory, where a recovery put it that died itself.
	starts map[[16]byte]begun
	// ended have an END that is not synced yet.
	ended []begun
	// seen are the directories and told the requests whose trouble is logged.
	seen map[string]bool
	told map[[16]byte]bool
}

func newRecovery(c Config, own *journal) *recovery {
	return &recovery{
		config: c, own: own, box: quarantine{dir: filepath.Join(c.Dir, quarantineName), log: c.Log},
		starts: map[[16]byte]begun{}, seen: map[string]bool{}, told: map[[16]byte]bool{},
	}
}

// restore rebuilds a dead producer's journal from its files. It syncs them: the
// process may have been killed before it could.
func (r *recovery) restore(j *journal) error {
	if err := dropCopies(j.dir); err != nil {
		return err
	}
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
		r.match(begun{f.id, j, seg.index, off, f.payload}, f.kind)
		j.note(seg, f.kind, f.id, f.seq, int64(off), int64(headerBytes+len(f.payload)))
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
		b.payload = slices.Clone(b.payload) // or it would keep the whole file
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
