package spool

import (
	"cmp"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

// endAbortedRequests writes an END for every request that a dead process left
// open, in the order of their STARTs. The STARTs are released only after the
// ENDs are synced. So if this process dies in between, the next recovery finds
// the ENDs that exist and adds the missing ones. The next call retries the requests
// whose END could not be written.
func (r *recovery) endAbortedRequests() {
	for _, b := range sortStarts(r.starts) {
		err := r.endAbortedRequest(b)
		if err != nil && !r.loggedRequests[b.id] {
			r.loggedRequests[b.id] = true
			r.config.Log.Error("cannot record aborted request", "producer", b.journal.producer,
				"request_id", hex.EncodeToString(b.id[:]), "error", err)
		}
		if err == nil {
			delete(r.starts, b.id)
			delete(r.loggedRequests, b.id)
			r.ended = append(r.ended, b)
		}
	}
	if err := r.own.sync(); err != nil {
		r.config.Log.Error("sync of recovered records failed", "error", err)
		return
	}
	for _, b := range r.ended {
		b.journal.releaseStart(b.id)
	}
	r.ended = nil
}

// endAbortedRequest writes the END of one request. If Recover cannot build a
// record from the START, endAbortedRequest stores the START in the quarantine.
func (r *recovery) endAbortedRequest(b foundStart) error {
	record, err := r.config.Recover(b.payload)
	if err == nil && len(record) > segment.MaxPayload {
		err = ErrTooLong
	}
	if err != nil {
		return r.quarantine.storeStart(b.journal.producer, b.id, b.payload, err)
	}
	return r.own.appendFrame(segment.NewDraft(r.own.checksumSeed, segment.KindEnd, b.id, segment.WithHeadroom(record)), segment.KindEnd, b.id)
}

func sortStarts(starts map[[16]byte]foundStart) []foundStart {
	return slices.SortedFunc(maps.Values(starts), func(a, b foundStart) int {
		return cmp.Or(cmp.Compare(a.journal.producer, b.journal.producer),
			cmp.Compare(a.index, b.index), cmp.Compare(a.offset, b.offset))
	})
}
