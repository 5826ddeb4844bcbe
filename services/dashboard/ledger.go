package dashboard

import (
	"context"

	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// trackingLedger is the store plus two duties: it marks the spend that inserted
// records change, and it replays dead letters.
type trackingLedger struct {
	*store.Store
	spends *ingest.SpendReporter
}

// Insert stores a batch and marks the changed spend for the next report.
func (b trackingLedger) Insert(ctx context.Context, batch record.Batch) error {
	err := b.Store.Insert(ctx, batch)
	if err == nil {
		b.spends.MarkChanged(batch.Records)
	}
	return err
}

// ReplayDeadLetters tries to store dead letters again: the parked ones, or all.
func (b trackingLedger) ReplayDeadLetters(ctx context.Context, all bool) (done, left int, err error) {
	return ingest.ReplayDeadLetters(ctx, b, all)
}
