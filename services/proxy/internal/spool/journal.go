package spool

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// journal is the directory of one producer. Frames are appended only to the
// journals of this process. The journal of a dead process is only read, so that
// no sequence number is assigned twice.
type journal struct {
	producer     string
	dir          string
	checksumSeed uint32
	rotateAt     int64
	capacity     *diskCapacity
	lock         *dirLock  // nil while the directory does not exist
	openedAt     time.Time // when it was created or adopted
	// readBuffer is the buffer of readBatch; the goroutine that ships owns it.
	readBuffer []byte

	// filesMu is held while a file is read, deleted or replaced. It is locked
	// before mu, and never on the path of a request.
	filesMu sync.Mutex
	// syncMu is held while files are synced and closed.
	syncMu sync.Mutex

	mu       sync.Mutex
	segments []*segmentState
	// activeFile is the last segment's file, nil if it takes no more frames.
	activeFile *os.File
	// retired segments take no more frames and wait for their last sync.
	retired       []retiredSegment
	hasNewSegment bool // a segment was created since the last sync
	writeFailing  bool // the last append or probe failed
	closed        bool
	openStarts    map[[16]byte]startLocation
	heldRanges    []records.Range // numbers of all END frames, including those in deleted segments
	lastSeq       uint64          // number of the last END frame
	syncedSeq     uint64          // number of the last END frame that may be sent; see sync
}

// startLocation holds the segment, the offset and the size of a START frame.
type startLocation struct {
	seg    *segmentState
	offset int64
	bytes  int64
}

func newJournal(producer string, c Config, capacity *diskCapacity) *journal {
	return &journal{
		producer:     producer,
		dir:          filepath.Join(c.Dir, producer),
		checksumSeed: segment.ChecksumSeed(producer),
		rotateAt:     c.SegmentBytes,
		capacity:     capacity,
		openedAt:     time.Now(),
		openStarts:   map[[16]byte]startLocation{},
	}
}

// trackFrame updates the in-memory state (openStarts, ends, heldRanges) for a frame that
// was written or read. If a request has two START frames, the later one counts.
func (j *journal) trackFrame(seg *segmentState, kind byte, id [16]byte, seq uint64, off, bytes int64) {
	if kind == segment.KindStart {
		j.closeStartLocked(id, 0)
		j.openStarts[id] = startLocation{seg, off, bytes}
		seg.openStarts++
		seg.openStartBytes += bytes
		return
	}
	seg.ends = append(seg.ends, endPosition{seq, off, time.Since(j.openedAt)})
	seg.neededUntil = max(seg.neededUntil, seq)
	j.lastSeq = max(j.lastSeq, seq)
	j.addHeldSeq(seq)
	j.closeStartLocked(id, seq)
}

func (j *journal) addHeldSeq(seq uint64) {
	if n := len(j.heldRanges); n > 0 && j.heldRanges[n-1].Last+1 == seq {
		j.heldRanges[n-1].Last = seq
		return
	}
	j.heldRanges = append(j.heldRanges, records.Range{First: seq, Last: seq})
}

// closeStartLocked marks the START frame of a request, if there is one, as completed by the
// END frame numbered seq. A seq of zero means that this journal holds no such END frame.
func (j *journal) closeStartLocked(id [16]byte, seq uint64) {
	if at, ok := j.openStarts[id]; ok {
		delete(j.openStarts, id)
		at.seg.openStarts--
		at.seg.openStartBytes -= at.bytes
		at.seg.neededUntil = max(at.seg.neededUntil, seq)
	}
}

// releaseStart drops a START frame whose record is in another journal or in the store. It retires
// the frame's segment, so that the segment is deleted soon. If this process were killed before
// that, the next one would send the request again as aborted.
func (j *journal) releaseStart(id [16]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	at, ok := j.openStarts[id]
	j.closeStartLocked(id, 0)
	if ok && at.seg == j.segments[len(j.segments)-1] {
		j.retireActiveSegment()
	}
}

// forgetStart drops a START frame that gets no record. It returns false after stopWriting.
// Then the process that adopts the directory finds the START frame.
func (j *journal) forgetStart(id [16]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.closeStartLocked(id, 0)
	return true
}
