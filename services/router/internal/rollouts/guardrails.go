package rollouts

import "fmt"

// Guardrails are the limits of a rollout. The zero value of a field means the default.
type Guardrails struct {
	// StepSeconds and MaxStepSeconds are the shortest and longest duration of a step.
	StepSeconds    int64 `json:"step_seconds"`
	MaxStepSeconds int64 `json:"max_step_seconds"`
	// MinRequests is how many requests the candidate must have served in a step.
	MinRequests int64 `json:"min_requests"`
	// ErrorPoints and QualityPoints are differences of shares, in thousandths.
	ErrorPoints   int64 `json:"error_points"`
	QualityPoints int64 `json:"quality_points"`
	// LatencyPercent and CostPercent are how much more the candidate may take and cost.
	LatencyPercent int64 `json:"latency_percent"`
	CostPercent    int64 `json:"cost_percent"`
	// Manual means that only persons advance the rollout.
	Manual bool `json:"manual"`
}

// limit is the default and the range of one field.
type limit struct {
	name                 string
	field                *int64
	preset, lowest, most int64
}

func (g *Guardrails) limits() []limit {
	const week = 7 * 24 * 60 * 60
	return []limit{
		{"step_seconds", &g.StepSeconds, 600, 1, week},
		{"max_step_seconds", &g.MaxStepSeconds, 24 * 60 * 60, 1, 4 * week},
		{"min_requests", &g.MinRequests, 100, 20, 1_000_000},
		{"error_points", &g.ErrorPoints, 20, 1, 500},
		{"latency_percent", &g.LatencyPercent, 50, 1, 1000},
		{"cost_percent", &g.CostPercent, 50, 1, 1000},
		{"quality_points", &g.QualityPoints, 30, 1, 500},
	}
}

// FieldError says which field of the guardrails is out of its range.
type FieldError struct{ Name, Text string }

func (e *FieldError) Error() string { return e.Text }

// Complete returns the guardrails with the defaults. The error is a *FieldError.
func (g Guardrails) Complete() (Guardrails, error) {
	for _, l := range g.limits() {
		if *l.field == 0 {
			*l.field = l.preset
		}
		if *l.field < l.lowest || *l.field > l.most {
			return g, &FieldError{l.name, fmt.Sprintf("%s must be from %d to %d", l.name, l.lowest, l.most)}
		}
	}
	if g.MaxStepSeconds < g.StepSeconds {
		return g, &FieldError{"max_step_seconds", "max_step_seconds must be at least step_seconds"}
	}
	return g, nil
}
