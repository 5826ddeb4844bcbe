package rollouts

import (
	"context"
	"math"

	"github.com/signalbox/signalbox/pkg/policyjson"
	shares "github.com/signalbox/signalbox/pkg/rollout"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
	"github.com/signalbox/signalbox/services/dashboard/internal/rollout"
)

type guardrailsJSON struct {
	StepSeconds    int64 `json:"step_seconds"`
	MaxStepSeconds int64 `json:"max_step_seconds"`
	MinRequests    int64 `json:"min_requests"`
	ErrorPoints    int64 `json:"error_points"`
	LatencyPercent int64 `json:"latency_percent"`
	CostPercent    int64 `json:"cost_percent"`
	QualityPoints  int64 `json:"quality_points"`
	Manual         bool  `json:"manual"`
}

func (g *guardrailsJSON) toProto() *routerv1.Guardrails {
	return &routerv1.Guardrails{
		StepSeconds: g.StepSeconds, MaxStepSeconds: g.MaxStepSeconds, MinRequests: g.MinRequests, ErrorPoints: g.ErrorPoints,
		LatencyPercent: g.LatencyPercent, CostPercent: g.CostPercent, QualityPoints: g.QualityPoints, Manual: g.Manual,
	}
}

// checkJSON is the comparison of one figure at the last step. See rollout.Guardrail for the
// units. Values that are not known yet are null.
type checkJSON struct {
	Name             rollout.Name    `json:"name"`
	Verdict          rollout.Verdict `json:"verdict"`
	Stable           *float64        `json:"stable"`
	Candidate        *float64        `json:"candidate"`
	StableSamples    int64           `json:"stable_samples"`
	CandidateSamples int64           `json:"candidate_samples"`
	Worse            *float64        `json:"worse"`
	Low              *float64        `json:"low"`
	High             *float64        `json:"high"`
	Limit            float64         `json:"limit"`
}

// encode adds the figures of the last step to a rollout.
func (s *API) encode(ctx context.Context, r *routerv1.Rollout) (map[string]any, error) {
	out := policyjson.EncodeMessage(r)
	step := lastStep(r)
	sides, err := s.Ledger.RolloutFigures(ctx, r.GetId(), step)
	if err != nil {
		return nil, err
	}
	out["step"] = step
	out["stable_requests"], out["candidate_requests"] = sides.Stable.Requests, sides.Candidate.Requests
	out["checks"] = jsonvalue.ConvertAll(rollout.Judge(sides, rollout.LimitsOf(r.GetGuardrails())), toCheckJSON)
	return out, nil
}

// lastStep returns the share of the last step at which both versions served requests.
func lastStep(r *routerv1.Rollout) int32 {
	for _, e := range r.GetEvents() { // the newest first
		if e.GetShare() > 0 && e.GetShare() < shares.Whole {
			return e.GetShare()
		}
	}
	return r.GetShare()
}

func toCheckJSON(g rollout.Guardrail) checkJSON {
	out := checkJSON{
		Name: g.Name, Verdict: g.Verdict, StableSamples: g.StableSamples, CandidateSamples: g.CandidateSamples,
		Low: finite(g.Interval.Low), High: finite(g.Interval.High), Limit: g.Limit,
	}
	if g.StableSamples > 0 {
		out.Stable = finite(g.Stable)
	}
	if g.CandidateSamples > 0 {
		out.Candidate = finite(g.Candidate)
	}
	if out.Stable != nil && out.Candidate != nil {
		out.Worse = finite(g.Worse)
	}
	return out
}

// finite returns nil for a value that is not a number or infinite.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}
