package spool

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
)

// abort ends, in the living producer's journal, the requests that were cut off,
// in the order of their beginning. Their STARTs are kept until that is synced:
// whenever recovery dies, the next one finds the ENDs that were written and adds
// those that are missing. What fails is tried again by the next call.
func (r *recovery) abort() {
	for _, b := range inOrder(r.starts) {
		err := r.abortOne(b)
		if err != nil && !r.told[b.id] {
			r.told[b.id] = true
			r.config.Log.Error("unfinished request not ended", "producer", b.journal.producer,
				"request_id", hex.EncodeToString(b.id[:]), "error", err)
		}
		if err == nil {
			delete(r.starts, b.id)
			delete(r.told, b.id)
			r.ended = append(r.ended, b)
		}
	}
	if err := r.own.sync(); err != nil {
		r.config.Log.Error("recovered records cannot be synced", "error", err)
		return
	}
	for _, b := range r.ended {
		b.journal.release(b.id)
	}
	r.ended = nil
}

func (r *recovery) abortOne(b begun) error {
	record, err := r.config.Recover(b.payload)
	if err == nil && len(record) > maxPayload {
		err = ErrTooLong
	}
	if err != nil {
		return r.box.keepStart(b.journal.producer, b.id, b.payload, err)
	}
	return r.own.append(newDraft(r.own.key, kindEnd, b.id, roomy(record)), kindEnd, b.id)
}

func inOrder(starts map[[16]byte]begun) []begun {
	return slices.SortedFunc(maps.Values(starts), func(a, b begun) int {
		return cmp.Or(cmp.Compare(a.journal.producer, b.journal.producer),
			cmp.Compare(a.index, b.index), cmp.Compare(a.off, b.off))
	})
}
