package ingest

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/records"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/signals"
)

// rate turns an entry into feedback on a request.
func rate(id uuid.UUID, account, source string) func(*recordv1.RequestRecord) {
	return func(r *recordv1.RequestRecord) {
		r.Schema, r.AccountId = 2, account
		r.Feedback = []*recordv1.Feedback{{RequestId: id[:], Score: 1000, Source: source}}
	}
}

// Feedback counts as a stored entry of its producer, and reaches only a request of the same
// account, whichever comes first.
func TestFeedbackReachesItsRequest(t *testing.T) {
	ledger, carrier := openLedger(t), records.NewMemory()
	stop := run(t, &Ingest{Source: carrier, Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	request, id := entry(t, "p", 3, nil)
	before, _ := entry(t, "p", 1, rate(id, "acc", "early"))
	foreign, _ := entry(t, "p", 2, rate(id, "other", "foreign"))
	after, _ := entry(t, "p", 4, rate(id, "acc", "late"))
	alsoForeign, _ := entry(t, "p", 5, rate(id, "other", "foreign"))
	for _, e := range []records.Entry{before, foreign, request, after, alsoForeign} {
		require.NoError(t, carrier.Publish(t.Context(), []records.Entry{e}))
	}
	stop(func() bool { return proven(t, carrier, "p", 5) })
	items, err := ledger.Evidence(t.Context(), "acc", id)
	require.NoError(t, err)
	require.Len(t, items, 2)
	require.ElementsMatch(t, []string{"early", "late"}, []string{items[0].Source, items[1].Source})
	items, err = ledger.Evidence(t.Context(), "other", id)
	require.NoError(t, err)
	require.Empty(t, items)
	impact, err := ledger.Impact(t.Context(), record.Query{Account: "acc"}, "")
	require.NoError(t, err)
	require.EqualValues(t, 1, impact.Requests, "feedback is not a request")
}

// An older version parks feedback. After the upgrade it is stored.
func TestParkedFeedbackIsReplayed(t *testing.T) {
	ledger := openLedger(t)
	in := &Ingest{Ledger: ledger, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)}
	request, id := entry(t, "p", 1, nil)
	feedback, _ := entry(t, "p", 2, rate(id, "acc", "parked"))
	require.NoError(t, in.storeEntries(t.Context(), in.decodeEntries([]records.Entry{request})))
	require.NoError(t, ledger.Insert(t.Context(), record.Batch{
		DeadLetters: []record.DeadLetter{{Entry: feedback, Reason: "newer", Parked: true, Schema: 2}}, Committed: committedRanges([]records.Entry{feedback}),
	}))
	done, left, err := ReplayDeadLetters(t.Context(), ledger, false)
	require.NoError(t, err)
	require.Equal(t, [2]int{1, 0}, [2]int{done, left})
	items, err := ledger.Evidence(t.Context(), "acc", id)
	require.NoError(t, err)
	require.Len(t, items, 1)
}

// A signal is stored with the request that it is about, also if a later request of the
// client shows it, and also if the store fails at first.
func TestSignalsAreStored(t *testing.T) {
	ledger, carrier := openLedger(t), records.NewMemory()
	broken := &flaky{Ledger: ledger, err: errors.New("away")}
	broken.failures.Store(1)
	stop := run(t, &Ingest{Source: carrier, Ledger: broken, KeyUses: unreported(), Signals: signals.NewDetector(), Log: slog.New(slog.DiscardHandler)})
	ask := func(after time.Duration) func(*recordv1.RequestRecord) {
		return func(r *recordv1.RequestRecord) {
			question, response := `{"messages":[{"role":"user","content":"What is the capital of France?"}]}`, `{"choices":[{"message":{"content":""}}]}`
			r.Time, r.Endpoint, r.Model, r.User = timestamppb.New(r.GetTime().AsTime().Add(after)), recordv1.Endpoint_ENDPOINT_CHAT, "small", "ann"
			r.Outcome, r.Capture = recordv1.Outcome_OUTCOME_OK, recordv1.Capture_CAPTURE_FULL
			r.Content = &recordv1.Content{
				Request: []byte(question), Response: []byte(response), RequestBytes: int64(len(question)), ResponseBytes: int64(len(response)),
			}
		}
	}
	first, id := entry(t, "p", 1, ask(0))
	second, _ := entry(t, "p", 2, ask(time.Second))
	require.NoError(t, carrier.Publish(t.Context(), []records.Entry{first, second}))
	stop(func() bool { return proven(t, carrier, "p", 2) })
	items, err := ledger.Evidence(t.Context(), "acc", id)
	require.NoError(t, err)
	var kinds []evidence.Kind
	for _, e := range items {
		kinds = append(kinds, e.Kind)
	}
	require.ElementsMatch(t, []evidence.Kind{evidence.Empty, evidence.AskedAgain}, kinds)
}
