package ledger

import (
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// candidateView holds the fields of a candidate that the command line shows.
type candidateView struct {
	Model        string `json:"model"`
	Provider     string `json:"provider"`
	Effort       string `json:"effort"`
	Text         string `json:"text"`
	Predicted    *int64 `json:"predicted_nano_usd"`
	Latency      int64  `json:"latency_us"`
	Quality      int64  `json:"quality"`
	QualityLow   *int64 `json:"quality_low"`
	QualityHigh  *int64 `json:"quality_high"`
	OutputTokens int64  `json:"output_tokens"`
}

// decisionRows returns why the model was chosen: the explanation in words, and what the
// decision expected of every candidate.
func (r *requestView) decisionRows() [][]string {
	if r.Explanation == nil {
		return nil
	}
	rows := append([][]string{{}}, cli.ExplanationRows(r.Explanation)...)
	if len(r.Candidates) == 0 {
		return rows
	}
	rows = append(rows, []string{}, []string{"CANDIDATE", "QUALITY", "EXPECTED COST", "OUTPUT TOKENS", "FIRST TOKEN", "RESULT"})
	for _, c := range r.Candidates {
		rows = append(rows, []string{
			policy.JoinEffort(c.Provider+"/"+c.Model, c.Effort), cli.FormatQuality(c.Quality, c.QualityLow, c.QualityHigh),
			cli.FormatOptionalUSD(c.Predicted), cli.FormatCount(c.OutputTokens), cli.FormatLatency(c.Latency), c.Text,
		})
	}
	return rows
}
