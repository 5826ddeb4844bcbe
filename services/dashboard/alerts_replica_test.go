package dashboard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/storetest"
)

// TestAlertsDoNotReadTheReplica uses an empty database as a replica that lags behind.
func TestAlertsDoNotReadTheReplica(t *testing.T) {
	t.Parallel()
	lagging := testenv.Postgres(t)
	empty, err := store.Open(t.Context(), lagging)
	require.NoError(t, err)
	require.NoError(t, empty.Close())
	s, err := store.OpenConfig(t.Context(), store.Config{URL: testenv.Postgres(t), Replica: lagging, Timeouts: storetest.LongTimeouts()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	failed, rerouted := storetest.Make("acc", 1), storetest.Make("acc", 2)
	failed.Outcome, rerouted.Route = record.OutcomeError, record.RouteFallback
	require.NoError(t, s.Insert(t.Context(), record.Batch{Records: []*record.Record{failed, rerouted}}))

	source := (&Service{store: s}).newEvaluator().Source
	for _, kind := range []alert.Kind{alert.ErrorRate, alert.FallbackRate, alert.Spend} {
		rule := alert.Rule{AccountID: "acc", Kind: kind, Window: time.Hour}
		all, err := source.Measure(t.Context(), rule, failed.Time.Add(time.Minute))
		require.NoError(t, err)
		require.Positive(t, all[0].Value, kind)
	}
}
