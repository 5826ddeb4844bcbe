package dashboard

import (
	"context"

	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// trackingLedger is the store with two additions. Insert also marks the spend that
// changes. ReplayDeadLetters replays dead letters: records that could not be decoded.
type trackingLedger struct {
	*store.Store
	spends *ingest.SpendReporter
}

// Insert stores a batch and marks the changed spend for the next report.
func (l trackingLedger) Insert(ctx context.Context, batch record.Batch) error {
	err := l.Store.Insert(ctx, batch)
	if err == nil {
		l.spends.MarkChanged(batch.Records)
	}
	return err
}

// ReplayDeadLetters tries to store dead letters again. If all is false, it tries
// only those whose schema was too new when they arrived.
func (l trackingLedger) ReplayDeadLetters(ctx context.Context, all bool) (done, left int, err error) {
	return ingest.ReplayDeadLetters(ctx, l, all)
}
