package codec

import (
	"errors"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
)

// ComparisonSchema is the schema of an entry that contains a comparison instead of a request.
const ComparisonSchema = 3

// maxScore is the highest score of a comparison; the lowest is its negative.
const maxScore = 1000

func decodeComparison(raw []byte) (*evidence.Comparison, error) {
	var m recordv1.RequestRecord
	if err := proto.Unmarshal(raw, &m); err != nil {
		return nil, errors.New("the data is not an encoded comparison")
	}
	c := m.GetComparison()
	id, err := uuid.FromBytes(m.GetId())
	request, requestErr := uuid.FromBytes(c.GetRequestId())
	switch {
	case err != nil || id.Version() != 7 || requestErr != nil || request.Version() != 7:
		return nil, errors.New("the id of the comparison or of its request is not a UUIDv7")
	case m.GetAccountId() == "" || len(m.GetAccountId()) > maxText:
		return nil, errors.New("the comparison has no account id, or one that is too long")
	case c.GetScore() < -maxScore || c.GetScore() > maxScore:
		return nil, errors.New("the comparison has an invalid score")
	}
	out := &evidence.Comparison{
		ID: id, AccountID: m.GetAccountId(), RequestID: request, Experiment: limitLabel(c.GetExperiment()), PolicyVersion: limitLabel(m.GetPolicyVersion()),
		Task:      limitLabel(c.GetTask()),
		Served:    evidence.Responder{Model: limitLabel(c.GetServedModel()), Provider: limitLabel(c.GetServedProvider())},
		Candidate: evidence.Responder{Model: limitLabel(c.GetCandidateModel()), Provider: limitLabel(c.GetCandidateProvider()), Effort: limitLabel(c.GetCandidateEffort())},
		Judge:     evidence.Responder{Model: limitLabel(c.GetJudgeModel()), Provider: limitLabel(c.GetJudgeProvider())},
		Result:    limitLabel(c.GetResult()), Score: c.GetScore(), Consistent: c.GetConsistent(),
		CandidateCost: c.CandidateNanoUsd, JudgeCost: c.JudgeNanoUsd, Estimated: c.GetCostBasis() == recordv1.CostBasis_COST_BASIS_ESTIMATED,
		Code: limitLabel(c.GetCode()), Created: recordTime(m.GetTime(), id),
	}
	if m.GetOutcome() == recordv1.Outcome_OUTCOME_ABORTED {
		out.Result = evidence.ResultAborted
	}
	return out, nil
}
