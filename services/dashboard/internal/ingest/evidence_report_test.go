package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/store"
)

// fakeLearner is a router that is away for some calls and rejects one model.
type fakeLearner struct {
	away int
	got  map[string]*routerv1.Evidence
}

func (f *fakeLearner) ReportEvidence(_ context.Context, in *routerv1.ReportEvidenceRequest, _ ...grpc.CallOption) (*routerv1.ReportEvidenceResponse, error) {
	if f.away--; f.away >= 0 {
		return nil, errors.New("away")
	}
	for _, e := range in.GetEvidence() {
		if e.GetModel() == "rejected" {
			return nil, apperr.New(apperr.InvalidRequest, "the item is invalid")
		}
	}
	for _, e := range in.GetEvidence() {
		f.got[e.GetAccountId()+" "+e.GetId()] = e
	}
	return &routerv1.ReportEvidenceResponse{}, nil
}

// insertRated stores requests with ratings.
func insertRated(t *testing.T, ledger *store.Store, n int, change func(i int, r *record.Record)) {
	batch := record.Batch{}
	for i := range n {
		r := &record.Record{
			ID: uuid.Must(uuid.NewV7()), AccountID: "acc", Time: time.Now().UTC().Truncate(time.Microsecond), Model: "m", RequestedModel: "auto",
			Outcome: record.OutcomeOK, Features: map[string]int64{"lexical": 2, "learned_subject": 3},
		}
		change(i, r)
		batch.Records = append(batch.Records, r)
		batch.Evidence = append(batch.Evidence, evidence.Item{
			AccountID: "acc", RequestID: r.ID, Kind: evidence.Feedback, Source: fmt.Sprint("user", i), Score: 700, Weight: 900, Reason: "secret words",
			Created: time.Now().UTC().Truncate(time.Microsecond),
		})
	}
	require.NoError(t, ledger.Insert(t.Context(), batch))
}

// Ratings reach the router once it is back, in bounded batches, without reasons and sources.
// A rejected rating blocks no other one.
func TestFeedbackReachesTheRouter(t *testing.T) {
	ledger, router := openLedger(t), &fakeLearner{away: 2, got: map[string]*routerv1.Evidence{}}
	insertRated(t, ledger, 2*maxEvidenceItems+5, func(i int, r *record.Record) {
		switch i {
		case 7:
			r.Model = "rejected"
		case 8:
			r.Features = nil // the router did not read it
		}
	})
	now := time.Now()
	reporter := &EvidenceReporter{To: router, From: ledger, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }}
	require.NoError(t, reporter.ReportPending(t.Context()))
	require.Empty(t, router.got, "the ratings are too young")
	now = now.Add(evidenceDelay + time.Minute)
	require.Error(t, reporter.ReportPending(t.Context()))
	require.Error(t, reporter.ReportPending(t.Context()))
	require.NoError(t, reporter.ReportPending(t.Context()))
	require.Len(t, router.got, 2*maxEvidenceItems+3)
	for _, e := range router.got {
		require.Equal(t, "m", e.GetModel())
		require.Equal(t, int64(700), e.GetScore())
		require.Equal(t, int64(900), e.GetWeight())
		require.Equal(t, "feedback", e.GetSource())
		require.Len(t, e.GetFeatures(), 2)
		require.NotContains(t, e.String(), "secret")
		require.NotContains(t, e.String(), "user")
	}
	router.got = map[string]*routerv1.Evidence{}
	require.NoError(t, reporter.ReportPending(t.Context()))
	require.Empty(t, router.got, "what is reported is not sent again")
}
