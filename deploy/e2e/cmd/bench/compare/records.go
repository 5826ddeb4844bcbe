package compare

import (
	"context"
	"fmt"

	"github.com/signalbox/signalbox/deploy/e2e/cmd/bench/rig"
)

// checkRecords compares the ledger with the responses that the clients received. There is no
// gateway if none was measured.
func (b *bench) checkRecords(ctx context.Context, box *rig.Box) error {
	if box == nil {
		return nil
	}
	got, err := box.AwaitRecords(ctx, box.Answered)
	if err != nil {
		return fmt.Errorf("read the ledger: %w", err)
	}
	b.printf("records: answered %d, stored %d (%s)\n", box.Answered, got.Requests, got.FormatRoutes())
	if got.Requests != box.Answered {
		b.problems = append(b.problems, fmt.Sprintf("answered %d, stored %d", box.Answered, got.Requests))
	}
	return nil
}
