package recordjson

import (
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

// comparisonJSON is a comparison of the response with that of another candidate.
type comparisonJSON struct {
	Experiment string  `json:"experiment"`
	Model      string  `json:"model"`
	Provider   string  `json:"provider"`
	Effort     *string `json:"effort"`
	JudgeModel string  `json:"judge_model"`
	Result     string  `json:"result"`
	// Score is from -1 (the served response is better) to 1; null if there is no verdict.
	Score      *float64 `json:"score"`
	Consistent bool     `json:"consistent"`
	Cost       *int64   `json:"cost_nano_usd"`
	JudgeCost  *int64   `json:"judge_cost_nano_usd"`
	Created    string   `json:"created"`
}

func toComparison(c evidence.Comparison) comparisonJSON {
	out := comparisonJSON{
		Experiment: c.Experiment, Model: c.Candidate.Model, Provider: c.Candidate.Provider, Effort: jsonvalue.NullIfZero(c.Candidate.Effort),
		JudgeModel: c.Judge.Model, Result: c.Result, Consistent: c.Consistent, Cost: c.CandidateCost, JudgeCost: c.JudgeCost, Created: jsonvalue.FormatTime(c.Created),
	}
	if c.Result == evidence.ResultJudged {
		score := float64(c.Score) / 1000
		out.Score = &score
	}
	return out
}
