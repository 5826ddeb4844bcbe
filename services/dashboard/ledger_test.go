package dashboard

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	"github.com/signalbox/signalbox/pkg/sqldb"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/ingest"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// heard passes on what is reported. It leaves out what the test does not wait for: the same spend can be
// reported up to three times.
type heard chan *keyauthv1.Spend

func (h heard) ReportSpend(_ context.Context, in *keyauthv1.ReportSpendRequest, _ ...grpc.CallOption) (*keyauthv1.ReportSpendResponse, error) {
	for _, one := range in.GetSpend() {
		select {
		case h <- one:
		default:
		}
	}
	return &keyauthv1.ReportSpendResponse{}, nil
}

// TestReplayedDeadLetterIsReportedAsSpend checks that a replayed dead letter adds to the
// reported spend.
func TestReplayedDeadLetterIsReportedAsSpend(t *testing.T) {
	ledger, err := store.Open(t.Context(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "records.db")))
	require.NoError(t, err)
	told := make(heard, 1)
	b := trackingLedger{ledger, ingest.NewSpendReporter(told, ledger, slog.New(slog.DiscardHandler))}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.spends.Run(ctx) }()
	id := uuid.Must(uuid.NewV7())
	letter, err := proto.Marshal(&recordv1.RequestRecord{
		Schema: 1, Id: id[:], AccountId: "acc", KeyId: "key", Time: timestamppb.Now(), CostNanoUsd: proto.Int64(42),
		Endpoint: recordv1.Endpoint_ENDPOINT_CHAT, Outcome: recordv1.Outcome_OUTCOME_OK,
	})
	require.NoError(t, err)
	dead := record.DeadLetter{Entry: records.Entry{Producer: "p", Seq: 1, Record: letter}, Reason: "an old version"}
	require.NoError(t, b.Insert(t.Context(), record.Batch{DeadLetters: []record.DeadLetter{dead}}))
	revived, left, err := b.ReplayDeadLetters(t.Context(), true)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, []int{revived, left})
	select {
	case one := <-told:
		require.Equal(t, []any{"acc", "key", int64(42)}, []any{one.GetAccountId(), one.GetKeyId(), one.GetNanoUsd()})
	case <-time.After(20 * time.Second):
		require.Fail(t, "nothing was reported")
	}
	stop()
	require.NoError(t, <-done)
	require.NoError(t, ledger.Close())
}
