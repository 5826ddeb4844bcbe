package quality

import (
	"context"
	"net/http"
	"time"

	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/quality"
	"github.com/signalbox/signalbox/services/dashboard/internal/readlimit"
	"github.com/signalbox/signalbox/services/dashboard/internal/statistics"
)

type experimentsJSON struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Confidence is the probability that all intervals contain their true values.
	Confidence float64 `json:"confidence"`
	// Margin is how much worse a candidate may be and still count as not worse.
	Margin float64    `json:"margin"`
	Items  []pairJSON `json:"items"`
}

// pairJSON compares two models for one kind of task. Task is null for all kinds together.
// Differences are from -1 (the served model is better) to 1 (the candidate is better).
type pairJSON struct {
	Experiment string  `json:"experiment"`
	Served     string  `json:"served"`
	Candidate  string  `json:"candidate"`
	Judge      string  `json:"judge"`
	Task       *string `json:"task"`
	// Verdict is better, not_worse, worse or not_enough_data.
	Verdict    string   `json:"verdict"`
	Difference *float64 `json:"difference"`
	Low        float64  `json:"low"`
	High       float64  `json:"high"`
	// Count is the number of verdicts of the judge. More is about how many further ones a
	// verdict of the experiment needs.
	Count         int64 `json:"count"`
	More          int64 `json:"more"`
	CandidateWins int64 `json:"candidate_wins"`
	ServedWins    int64 `json:"served_wins"`
	// Failed is the number of comparisons without a verdict, except for those that were stopped.
	Failed  int64 `json:"failed"`
	Stopped int64 `json:"stopped"`
	// Consistent is the share of verdicts that did not change when the responses were swapped.
	Consistent *float64 `json:"consistent"`
	// JudgeIsCompared means that the judge is one of the compared models.
	JudgeIsCompared bool         `json:"judge_is_compared"`
	Agreement       estimateJSON `json:"agreement"`
	CandidateCost   int64        `json:"candidate_cost_nano_usd"`
	JudgeCost       int64        `json:"judge_cost_nano_usd"`
}

func (s *API) apiGetExperiments(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "from", "to")
	if err != nil {
		return err
	}
	q, err := httpapi.ParseQuery(p, v.Account.GetId())
	if err != nil {
		return err
	}
	from, to := wholeDays(q, time.Now())
	ctx, cancel := context.WithTimeout(r.Context(), readlimit.Timeout)
	defer cancel()
	pairs, err := s.Ledger.Experiments(ctx, v.Account.GetId(), from, to)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, experimentsJSON{
		From: jsonvalue.FormatTime(from), To: jsonvalue.FormatTime(to), Confidence: 1 - statistics.Alpha, Margin: quality.Margin,
		Items: jsonvalue.ConvertAll(quality.ReportExperiments(pairs, statistics.Alpha), toPairJSON),
	})
}

func toPairJSON(p quality.ComparedPair) pairJSON {
	out := pairJSON{
		Experiment: jsonvalue.ValidText(p.Experiment), Served: jsonvalue.ValidText(p.Served),
		Candidate: jsonvalue.ValidText(policy.JoinEffort(p.Candidate, p.Effort)), Judge: jsonvalue.ValidText(p.Judge), Task: jsonvalue.NullIfZero(p.Task),
		Verdict: string(p.Verdict), Low: p.Interval.Low, High: p.Interval.High, Count: p.Scores.N, More: p.More,
		CandidateWins: p.CandidateWins, ServedWins: p.ServedWins, Failed: p.Compared - p.Scores.N - p.Stopped, Stopped: p.Stopped,
		JudgeIsCompared: p.Judge == p.Served || p.Judge == p.Candidate, Agreement: toEstimateJSON(p.Agreement),
		CandidateCost: p.CandidateNanoUSD, JudgeCost: p.JudgeNanoUSD,
	}
	if p.Scores.N > 0 {
		mean, consistent := p.Scores.Mean(), float64(p.Consistent)/float64(p.Scores.N)
		out.Difference, out.Consistent = &mean, &consistent
	}
	return out
}
