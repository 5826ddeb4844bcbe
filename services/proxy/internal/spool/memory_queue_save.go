package spool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// saveQueue writes the records that wait in memory to the disk, so that they
// survive the end of this process.
func (s *Spool) saveQueue() {
	items := s.queue.unsavedItems()
	for i, it := range items {
		if s.queue.saveItem(it, it.payload) != nil {
			items = items[:i] // the disk still fails
			break
		}
	}
	if err := s.releaseSaved(items); err != nil {
		s.log.Error("cannot save records from memory", "error", err)
	}
}

// saveQueueAtClose tries a last time to write the records in memory to the disk,
// without their bodies if necessary. Records that cannot be written are lost. They
// count in Stats.WithoutRecord, unless their START frame is on disk. Then the next process
// records the request as aborted.
func (s *Spool) saveQueueAtClose() (err error) {
	s.queue.stopAccepting()
	items := s.queue.unsavedItems()
	n := len(items)
	items = slices.DeleteFunc(items, func(it queuedRecord) bool {
		saveErr := s.queue.saveItem(it, it.payload)
		if bare, had := s.stripBody(it.payload); saveErr != nil && had {
			saveErr = s.queue.saveItem(it, bare)
		}
		if saveErr != nil && !s.own.hasOpenStart(it.id) {
			s.withoutRecord.Add(1)
		}
		err = cmp.Or(err, saveErr)
		return saveErr != nil
	})
	if err != nil {
		err = fmt.Errorf("lost %d records that waited in memory: %w", n-len(items), err)
	}
	return errors.Join(err, s.releaseSaved(items))
}

// releaseSaved syncs saved items and releases their START frames.
func (s *Spool) releaseSaved(items []queuedRecord) error {
	if len(items) == 0 {
		return nil
	}
	if err := s.queue.syncSaved(); err != nil {
		return err
	}
	for _, it := range items {
		s.own.releaseStart(it.id)
	}
	return nil
}

// unsavedItems returns the items that are only in memory.
func (q *memoryQueue) unsavedItems() []queuedRecord {
	q.mu.Lock()
	defer q.mu.Unlock()
	saved := uint64(0)
	if q.savedJournal != nil {
		saved = q.savedJournal.lastAssigned()
	}
	return slices.DeleteFunc(slices.Clone(q.items), func(it queuedRecord) bool { return it.seq <= saved })
}

// saveItem writes an item to the queue's own directory, under the item's sequence
// number. The item also stays in memory and is sent from there. If this process dies
// before the item is sent, another process adopts the directory.
func (q *memoryQueue) saveItem(it queuedRecord, payload []byte) error {
	q.saveMu.Lock()
	defer q.saveMu.Unlock()
	j := q.ensureSavedJournal()
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.lastSeq
	j.lastSeq = it.seq - 1
	err := j.writeFrame(segment.NewDraft(j.checksumSeed, segment.KindEnd, it.id, segment.WithHeadroom(payload)), segment.KindEnd, it.id)
	if err != nil {
		j.lastSeq = before
	}
	return err
}

func (q *memoryQueue) ensureSavedJournal() *journal {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.savedJournal == nil {
		q.savedJournal = newJournal(q.producer, q.config, q.mainJournal.capacity)
	}
	return q.savedJournal
}

func (q *memoryQueue) loadSavedJournal() *journal {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.savedJournal
}

func (q *memoryQueue) syncSaved() error {
	q.saveMu.Lock()
	defer q.saveMu.Unlock()
	if j := q.loadSavedJournal(); j != nil {
		return j.sync()
	}
	return nil
}

// freeSaved deletes the saved items whose sequence number is lower than limit. When the queue
// is empty, it deletes the directory.
func (q *memoryQueue) freeSaved(limit uint64) error {
	q.saveMu.Lock()
	defer q.saveMu.Unlock()
	j := q.loadSavedJournal()
	if j == nil {
		return nil
	}
	q.mu.Lock()
	empty := len(q.items) == 0
	if empty {
		q.savedJournal = nil
	}
	q.mu.Unlock()
	if !empty {
		return j.freeBelow(limit)
	}
	return errors.Join(j.stopWriting(), j.freeBelow(limit), j.removeDir())
}

// leaveForAdoption closes the saved journal, so that another process can adopt it.
func (q *memoryQueue) leaveForAdoption() error {
	q.saveMu.Lock()
	defer q.saveMu.Unlock()
	if j := q.loadSavedJournal(); j != nil {
		return errors.Join(j.stopWriting(), j.unlock())
	}
	return nil
}
