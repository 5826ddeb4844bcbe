package codec_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
)

func newComparison(change func(*recordv1.RequestRecord)) *recordv1.RequestRecord {
	id, request := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	m := &recordv1.RequestRecord{
		Schema: 3, Id: id[:], AccountId: "acc", Time: timestamppb.Now(), PolicyVersion: "v",
		Comparison: &recordv1.Comparison{
			RequestId: request[:], Experiment: "try", Task: "code", ServedModel: "s", ServedProvider: "sp", CandidateModel: "c", CandidateProvider: "cp",
			CandidateEffort: "low", JudgeModel: "j", JudgeProvider: "jp", Result: "judged", Score: -500, Consistent: true,
			CandidateNanoUsd: proto.Int64(7), CostBasis: recordv1.CostBasis_COST_BASIS_ESTIMATED, Code: "X",
		},
	}
	if change != nil {
		change(m)
	}
	return m
}

func decodeComparison(t *testing.T, m *recordv1.RequestRecord) (*evidence.Comparison, error) {
	t.Helper()
	raw, err := proto.Marshal(m)
	require.NoError(t, err)
	e, err := codec.DecodeEntry(raw)
	require.Nil(t, e.Record, "a comparison is never a request")
	return e.Comparison, err
}

func TestAComparisonIsDecoded(t *testing.T) {
	m := newComparison(nil)
	got, err := decodeComparison(t, m)
	require.NoError(t, err)
	require.Equal(t, &evidence.Comparison{
		ID: uuid.UUID(m.GetId()), AccountID: "acc", RequestID: uuid.UUID(m.GetComparison().GetRequestId()), Experiment: "try", PolicyVersion: "v", Task: "code",
		Served: evidence.Responder{Model: "s", Provider: "sp"}, Candidate: evidence.Responder{Model: "c", Provider: "cp", Effort: "low"},
		Judge: evidence.Responder{Model: "j", Provider: "jp"}, Result: evidence.ResultJudged, Score: -500, Consistent: true,
		CandidateCost: proto.Int64(7), Estimated: true, Code: "X", Created: m.GetTime().AsTime().Truncate(time.Microsecond),
	}, got)
	got, err = decodeComparison(t, newComparison(func(m *recordv1.RequestRecord) { m.Outcome = recordv1.Outcome_OUTCOME_ABORTED }))
	require.NoError(t, err)
	require.Equal(t, evidence.ResultAborted, got.Result)
}

func TestAnInvalidComparisonIsRejected(t *testing.T) {
	for name, change := range map[string]func(*recordv1.RequestRecord){
		"no account":    func(m *recordv1.RequestRecord) { m.AccountId = "" },
		"no id":         func(m *recordv1.RequestRecord) { m.Id = nil },
		"no comparison": func(m *recordv1.RequestRecord) { m.Comparison = nil },
		"a score":       func(m *recordv1.RequestRecord) { m.Comparison.Score = 1001 },
		"a newer one":   func(m *recordv1.RequestRecord) { m.Schema = 4 },
	} {
		_, err := decodeComparison(t, newComparison(change))
		require.Error(t, err, name)
	}
}
