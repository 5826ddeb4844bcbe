package spool

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// foundStart is a START frame that recovery has read, with its location.
type foundStart struct {
	id      [16]byte
	journal *journal
	index   uint64 // of the segment
	offset  int
	payload []byte
}

// recovery reads the directories of dead producers, oldest first, and writes records
// for the requests that they left open. These records get sequence numbers of this
// process. If the files of a dead producer are damaged, its last number is unknown.
// A new number of that producer could then be a duplicate or leave a gap.
type recovery struct {
	config     Config
	own        *journal
	quarantine quarantine
	// starts holds the START frames without a known END frame. The END frame may be in a later
	// directory, if the process of that directory recovered the request and died too.
	starts map[[16]byte]foundStart
	// ended holds the START frames whose END frame is written but not synced.
	ended []foundStart
	// loggedDirs holds the directories whose failure is already logged.
	loggedDirs map[string]bool
	// loggedRequests holds the requests whose failure is already logged.
	loggedRequests map[[16]byte]bool
}

func newRecovery(c Config, own *journal) *recovery {
	return &recovery{
		config: c, own: own, quarantine: quarantine{dir: filepath.Join(c.Dir, quarantineDirName), log: c.Log},
		starts: map[[16]byte]foundStart{}, loggedDirs: map[string]bool{}, loggedRequests: map[[16]byte]bool{},
	}
}

// restoreJournal rebuilds the in-memory state of a dead producer's journal from its
// files. It syncs the files, because the process may have died before its last sync.
func (r *recovery) restoreJournal(j *journal) error {
	if err := removeStaleCopies(j.dir); err != nil {
		return err
	}
	files, err := listSegments(j.dir)
	if err := cmp.Or(err, syncDir(j.dir)); err != nil {
		return err
	}
	for i, f := range files {
		if err := r.loadSegment(j, f, i == len(files)-1); err != nil {
			// Drop the START frames: their END frames may be in the part that was not read.
			maps.DeleteFunc(r.starts, func(_ [16]byte, b foundStart) bool { return b.journal == j })
			return err
		}
	}
	return j.stopWriting()
}

// loadSegment reads one file and adds its frames to the in-memory state of the journal.
func (r *recovery) loadSegment(j *journal, file segmentFile, last bool) error {
	data, err := readAndSync(file.path)
	if err != nil {
		return err
	}
	seg := &segment{path: file.path, index: file.index, size: int64(len(data))}
	j.segments = append(j.segments, seg)
	bad, tail := scanFrames(j.checksumSeed, data, func(off int, f frame) {
		r.matchFrame(foundStart{f.id, j, seg.index, off, f.payload}, f.kind)
		j.trackFrame(seg, f.kind, f.id, f.seq, int64(off), int64(headerBytes+len(f.payload)))
	})
	if tail > 0 && last {
		r.config.Log.Warn("spool ends with a partial frame", "producer", j.producer, "bytes", tail)
	} else if tail > 0 {
		bad = append(bad, span{len(data) - tail, len(data)})
	}
	r.quarantine.storeDamage(j.producer, file, data, bad)
	return nil
}

// matchFrame pairs END frames with START frames of other directories. trackFrame pairs
// those of one directory.
func (r *recovery) matchFrame(b foundStart, kind byte) {
	if kind == kindStart {
		b.payload = slices.Clone(b.payload) // the payload aliases the whole file
		r.starts[b.id] = b
		return
	}
	if start, ok := r.starts[b.id]; ok && start.journal != b.journal {
		start.journal.releaseStart(b.id)
	}
	delete(r.starts, b.id)
}

func readAndSync(path string) ([]byte, error) {
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
