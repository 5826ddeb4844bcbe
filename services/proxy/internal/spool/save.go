package spool

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// saveQueue puts on the disk what waits in memory because it was refused, for
// the case that this process dies before it is stored.
func (s *Spool) saveQueue() {
	items := s.queue.unsaved()
	for i, it := range items {
		if s.queue.save(it, it.payload) != nil {
			items = items[:i] // the disk is not well yet
			break
		}
	}
	if err := s.saved(items); err != nil {
		s.log.Error("records in memory cannot be saved", "error", err)
	}
}

// spill does the same for the last time, if need be without bodies. What finds
// no place is lost, and counts as refused unless its START is left.
func (s *Spool) spill() (err error) {
	s.queue.end()
	items := s.queue.unsaved()
	n := len(items)
	items = slices.DeleteFunc(items, func(it queued) bool {
		refusal := s.queue.save(it, it.payload)
		if bare, had := s.strip(it.payload); refusal != nil && had {
			refusal = s.queue.save(it, bare)
		}
		if refusal != nil && !s.own.begun(it.id) {
			s.refused.Add(1)
		}
		err = cmp.Or(err, refusal)
		return refusal != nil
	})
	if err != nil {
		err = fmt.Errorf("%d records in memory are lost: %w", n-len(items), err)
	}
	return errors.Join(err, s.saved(items))
}

// saved lets go of the STARTs of what was saved, once it is synced.
func (s *Spool) saved(items []queued) error {
	if len(items) == 0 {
		return nil
	}
	if err := s.queue.syncDisk(); err != nil {
		return err
	}
	for _, it := range items {
		s.own.release(it.id)
	}
	return nil
}

// unsaved are the items that are in memory only.
func (q *queue) unsaved() []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	saved := uint64(0)
	if q.disk != nil {
		saved = q.disk.last()
	}
	return slices.DeleteFunc(slices.Clone(q.items), func(it queued) bool { return it.seq <= saved })
}

// save writes an item to a directory of the queue's own, under the number that
// it has. It stays in memory all the same, from where it is sent; should this
// process end before, another one adopts the directory.
func (q *queue) save(it queued, payload []byte) error {
	q.saving.Lock()
	defer q.saving.Unlock()
	j := q.journal()
	j.mu.Lock()
	defer j.mu.Unlock()
	before := j.seq
	j.seq = it.seq - 1
	err := j.put(newDraft(j.key, kindEnd, it.id, roomy(payload)), kindEnd, it.id)
	if err != nil {
		j.seq = before
	}
	return err
}

func (q *queue) journal() *journal {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.disk == nil {
		q.disk = newJournal(q.producer, q.config, q.own.room)
	}
	return q.disk
}

func (q *queue) onDisk() *journal {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.disk
}

func (q *queue) syncDisk() error {
	q.saving.Lock()
	defer q.saving.Unlock()
	if j := q.onDisk(); j != nil {
		return j.sync()
	}
	return nil
}

// tidy deletes what was saved and is committed, and the directory with the
// last of it.
func (q *queue) tidy(below uint64) error {
	q.saving.Lock()
	defer q.saving.Unlock()
	j := q.onDisk()
	if j == nil {
		return nil
	}
	q.mu.Lock()
	empty := len(q.items) == 0
	if empty {
		q.disk = nil
	}
	q.mu.Unlock()
	if !empty {
		return j.free(below)
	}
	return errors.Join(j.seal(), j.free(below), j.remove())
}

// leave gives up what was saved, for the next start to adopt.
func (q *queue) leave() error {
	q.saving.Lock()
	defer q.saving.Unlock()
	if j := q.onDisk(); j != nil {
		return errors.Join(j.seal(), j.unlock())
	}
	return nil
}
