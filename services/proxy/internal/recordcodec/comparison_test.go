package recordcodec_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/decide"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/recordcodec"
)

func TestAComparisonHasTheFieldsOfTheContract(t *testing.T) {
	id, request, at := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), time.Unix(1_790_000_000, 123_000)
	raw := recordcodec.Codec{}.AppendComparison(nil, &ledger.Comparison{
		ID: id, RequestID: request, AccountID: "acc", KeyID: "key", KeyName: "prod", Time: at, PolicyVersion: "v", Experiment: "try", Task: "code",
		Served: decide.Candidate{Model: "s", Provider: "sp"}, Candidate: decide.Candidate{Model: "c", Provider: "cp", Effort: "low"},
		Judge: decide.Candidate{Model: "j", Provider: "jp"}, Result: ledger.Judged, Score: -500, Consistent: true,
		CandidateCost: ledger.Known(7), JudgeCost: ledger.Known(0), Estimated: true, Code: "X", Latency: 3 * time.Millisecond,
	})
	var got recordv1.RequestRecord
	require.NoError(t, proto.Unmarshal(raw, &got))
	want := &recordv1.RequestRecord{
		Schema: 3, Id: id[:], AccountId: "acc", KeyId: "key", KeyName: "prod", Time: timestamppb.New(at), PolicyVersion: "v",
		Comparison: &recordv1.Comparison{
			RequestId: request[:], Experiment: "try", Task: "code", ServedModel: "s", ServedProvider: "sp",
			CandidateModel: "c", CandidateProvider: "cp", CandidateEffort: "low", JudgeModel: "j", JudgeProvider: "jp",
			Result: "judged", Score: -500, Consistent: true, CandidateNanoUsd: proto.Int64(7), JudgeNanoUsd: proto.Int64(0),
			CostBasis: recordv1.CostBasis_COST_BASIS_ESTIMATED, Code: "X", LatencyUs: 3000,
		},
	}
	require.True(t, proto.Equal(want, &got), "%v", &got)

	aborted, err := recordcodec.AbortedRecord(raw)
	require.NoError(t, err)
	require.NoError(t, proto.Unmarshal(aborted, &got))
	require.Equal(t, recordv1.Outcome_OUTCOME_ABORTED, got.GetOutcome())
	require.Equal(t, "try", got.GetComparison().GetExperiment())
}
