package spool

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"
)

// abort ends in own the requests that were cut off, in the order of their
// beginning. Their STARTs are kept until that is synced: whenever recovery
// dies, the next one finds the ENDs that were written and adds those that are
// missing. One that cannot be ended keeps its file for the next start.
func (r *recovery) abort(own *journal) {
	var d draft
	var ended []begun
	for _, b := range inOrder(r.starts) {
		if err := r.abortOne(own, b, &d); err != nil {
			r.config.Log.Error("unfinished request not ended", "producer", b.journal.producer,
				"request_id", hex.EncodeToString(b.id[:]), "error", err)
			continue
		}
		ended = append(ended, b)
	}
	if err := own.sync(); err != nil {
		r.config.Log.Error("recovered records cannot be synced", "error", err)
		return
	}
	for _, b := range ended {
		b.journal.release(b.id)
	}
}

func (r *recovery) abortOne(own *journal, b begun, d *draft) error {
	data, err := readAt(nil, b.seg.path, b.from, b.to)
	if err != nil {
		return err
	}
	f, _, err := decode(b.journal.key, data)
	if err != nil {
		return err
	}
	record, err := r.config.Recover(f.payload)
	if err == nil && len(record) > maxPayload {
		err = ErrTooLong
	}
	if err != nil {
		return r.box.keepStart(b.journal.producer, b.id, f.payload, err)
	}
	d.fill(own.key, kindEnd, b.id, record)
	return own.append(d, kindEnd, b.id)
}

func inOrder(starts map[[16]byte]begun) []begun {
	return slices.SortedFunc(maps.Values(starts), func(a, b begun) int {
		return cmp.Or(cmp.Compare(a.journal.producer, b.journal.producer),
			cmp.Compare(a.seg.index, b.seg.index), cmp.Compare(a.from, b.from))
	})
}
