package spool

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// foundStart is a START that recovery has read, with its location.
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
	// starts holds the STARTs without a known END. The END may be in a later
	// directory, if the process of that directory recovered the request and died too.
	starts map[[16]byte]foundStart
	// ended holds the STARTs whose END is written but not synced.
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
	if err := segment.RemoveStaleCopies(j.dir); err != nil {
		return err
	}
	files, err := segment.List(j.dir)
	if err := cmp.Or(err, segment.SyncDir(j.dir)); err != nil {
		return err
	}
	for i, f := range files {
		if err := r.loadSegment(j, f, i == len(files)-1); err != nil {
			// Drop the STARTs: their ENDs may be in the part that was not read.
			maps.DeleteFunc(r.starts, func(_ [16]byte, b foundStart) bool { return b.journal == j })
			return err
		}
	}
	return j.stopWriting()
}

// loadSegment reads one file and adds its frames to the in-memory state of the journal.
func (r *recovery) loadSegment(j *journal, file segment.File, last bool) error {
	data, err := segment.ReadAndSync(file.Path)
	if err != nil {
		return err
	}
	seg := &segmentState{path: file.Path, index: file.Index, size: int64(len(data))}
	j.segments = append(j.segments, seg)
	bad, tail := segment.Scan(j.checksumSeed, data, func(off int, f segment.Frame) {
		r.matchFrame(foundStart{f.ID, j, seg.index, off, f.Payload}, f.Kind)
		j.trackFrame(seg, f.Kind, f.ID, f.Seq, int64(off), int64(segment.HeaderBytes+len(f.Payload)))
	})
	if tail > 0 && last {
		r.config.Log.Warn("spool ends with a partial frame", "producer", j.producer, "bytes", tail)
	} else if tail > 0 {
		bad = append(bad, segment.Span{From: len(data) - tail, To: len(data)})
	}
	r.quarantine.storeDamage(j.producer, file, data, bad)
	return nil
}

// matchFrame pairs ENDs with STARTs across directories. trackFrame does so
// within one directory.
func (r *recovery) matchFrame(b foundStart, kind byte) {
	if kind == segment.KindStart {
		b.payload = slices.Clone(b.payload) // the payload aliases the whole file
		r.starts[b.id] = b
		return
	}
	if start, ok := r.starts[b.id]; ok && start.journal != b.journal {
		start.journal.releaseStart(b.id)
	}
	delete(r.starts, b.id)
}
