package dashboard

import (
	"context"

	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// books is the ledger with whoever must know what its records cost, and with
// the way back for dead letters.
type books struct {
	*store.Store
	spends *ingest.Spends
}

// Insert stores a batch, as the ledger does.
func (b books) Insert(ctx context.Context, batch record.Batch) error {
	err := b.Store.Insert(ctx, batch)
	if err == nil {
		b.spends.Note(batch.Records)
	}
	return err
}

// Replay tries dead letters again: those that were parked, or all.
func (b books) Replay(ctx context.Context, all bool) (done, left int, err error) {
	return ingest.Replay(ctx, b, all)
}
