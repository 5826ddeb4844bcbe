package policy

import "slices"

// Rule is an entry of a route's select. It has exactly one action: Target,
// Deny, Require, or Strategy with Candidates.
type Rule struct {
	Name string `json:"name,omitempty"`
	// When has conditions that must all hold; none means always.
	When []Condition `json:"when,omitempty"`
	// Target is a model, or model@provider.
	Target string `json:"target,omitempty"`
	// Deny is what the caller is told.
	Deny string `json:"deny,omitempty"`
	// Require narrows what the rules that follow may choose.
	Require []Requirement `json:"require,omitempty"`
	// Strategy puts Candidates in order: models, or model@provider.
	Strategy   Strategy `json:"strategy,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// MinQuality, in thousandths, is what a candidate must be predicted to reach
	// while another one does.
	MinQuality int64 `json:"min_quality,omitempty"`
	// Weights are the shares of the candidates, for the strategy weighted; none
	// means equal ones.
	Weights map[string]int64 `json:"weights,omitempty"`
	// Topic names the quality prior to go by where nothing was predicted.
	Topic string `json:"topic,omitempty"`
}

// Strategy is how candidates are put in order.
type Strategy string

// The strategies.
const (
	// Ordered is as they are written.
	Ordered Strategy = "ordered"
	// Cheapest is by expected cost.
	Cheapest Strategy = "cheapest"
	// BestQuality is by predicted quality.
	BestQuality Strategy = "quality"
	// Fastest is by expected time to the first token.
	Fastest Strategy = "fastest"
	// Balanced is by quality, cost and time together.
	Balanced Strategy = "balanced"
	// Weighted is by chance, in proportion to the weights.
	Weighted Strategy = "weighted"
)

func strategies() []string {
	return []string{string(Ordered), string(Cheapest), string(BestQuality), string(Fastest), string(Balanced), string(Weighted)}
}

// Terminal tells whether the rule ends the reading of select when it applies.
func (r *Rule) Terminal() bool { return len(r.Require) == 0 }

// sound tells whether whoever decides by the rule can.
func (r *Rule) sound() bool {
	actions := 0
	for _, has := range []bool{r.Target != "", r.Deny != "", len(r.Require) > 0, len(r.Candidates) > 0} {
		if has {
			actions++
		}
	}
	return actions == 1 && !slices.ContainsFunc(r.When, func(c Condition) bool { return !c.sound() })
}

// Names are the models, or model@provider, that the rule may choose.
func (r *Rule) Names() []string {
	if r.Target != "" {
		return []string{r.Target}
	}
	return r.Candidates
}

// Requirement is something that a target must have.
type Requirement struct {
	Field string `json:"field"`
	// In are words: one of them must be the target's, or, of capabilities, all.
	In []string `json:"in,omitempty"`
	// Min is for the context.
	Min int64 `json:"min,omitempty"`
}

// The fields of requirements. Beside what is required here a target always has
// to do what the request asks, and to hold it.
const (
	RequireProviderTag  = "provider.tag"
	RequireProvider     = "provider"
	RequireModel        = "model"
	RequireCapabilities = "capabilities"
	RequireContext      = "context"
)
