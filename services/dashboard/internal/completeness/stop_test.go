package completeness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
)

// A proxy reports a last time when it stops. In the all-in-one the monitor stops right after
// it. The ledger must have that report, or the next start would find records missing.
func TestTheLastReportsAreStoredAtTheStop(t *testing.T) {
	runInBubble(t, func(t *testing.T, r *monitorEnv) {
		<-time.After(1500 * time.Millisecond) // between two rounds
		r.reportState(records.ProducerState{Producer: "p", Written: 10, FirstUnstored: 11})
		r.stop()
		producers, err := r.ledger.Completeness(t.Context())
		require.NoError(t, err)
		require.Len(t, producers, 1)
		require.EqualValues(t, 11, producers[0].FirstHeld)
		r.start()
	})
}
