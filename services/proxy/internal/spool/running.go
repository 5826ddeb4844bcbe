package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

var errNotRunning = errors.New("spool: the request is not running")

// ListRunning returns the ids of the requests of this process that have a START frame from before
// the given time and no record yet, oldest first. Ids are UUIDv7, so an id tells when its request
// began. Requests pay nothing for this list: it reads the state that the spool keeps anyway.
func (s *Spool) ListRunning(before time.Time) [][16]byte {
	ended := s.queue.endedIDs()
	ids := s.own.listOpenStarts(before)
	return slices.DeleteFunc(ids, func(id [16]byte) bool { return ended[id] })
}

// ReadStart returns the payload of a running request's START frame.
func (s *Spool) ReadStart(id [16]byte) ([]byte, error) { return s.own.readStart(id) }

func (j *journal) listOpenStarts(before time.Time) [][16]byte {
	var limit [8]byte
	binary.BigEndian.PutUint64(limit[:], uint64(before.UnixMilli()))
	var ids [][16]byte
	j.mu.Lock()
	for id := range j.openStarts {
		if bytes.Compare(id[:6], limit[2:]) < 0 {
			ids = append(ids, id)
		}
	}
	j.mu.Unlock()
	slices.SortFunc(ids, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// readStart holds filesMu, so that the segment is not deleted or replaced meanwhile.
func (j *journal) readStart(id [16]byte) ([]byte, error) {
	j.filesMu.Lock()
	defer j.filesMu.Unlock()
	j.mu.Lock()
	at, ok := j.openStarts[id]
	j.mu.Unlock()
	if !ok {
		return nil, errNotRunning
	}
	data, err := j.readSegment(nil, at.seg, at.offset, at.offset+at.bytes)
	if err != nil {
		return nil, err
	}
	f, _, err := segment.Decode(j.checksumSeed, data)
	if err == nil && f.ID != id {
		err = errNotRunning
	}
	return f.Payload, err
}

// endedIDs returns the requests whose record waits in memory. Their START frames are still open.
func (q *memoryQueue) endedIDs() map[[16]byte]bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	ended := make(map[[16]byte]bool, len(q.items))
	for _, it := range q.items {
		ended[it.id] = true
	}
	return ended
}
