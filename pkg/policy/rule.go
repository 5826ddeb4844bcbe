package policy

import "slices"

// Rule is one rule of a route. A rule has exactly one action: Target, Deny, Require, or
// Candidates with a Strategy or an Aim.
type Rule struct {
	Name string `json:"name,omitempty"`
	// When lists conditions that must all hold; an empty list always holds.
	When []Condition `json:"when,omitempty"`
	// Target is a model, or model@provider. Both can have a reasoning effort: model#low.
	Target string `json:"target,omitempty"`
	// Deny is the message of the error that the client receives.
	Deny string `json:"deny,omitempty"`
	// Require narrows the candidates that later rules may choose.
	Require []Requirement `json:"require,omitempty"`
	// Strategy orders Candidates. Each candidate is written like Target.
	Strategy   Strategy `json:"strategy,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
	// Aim orders Candidates in place of Strategy, which is then empty.
	Aim *Aim `json:"aim,omitempty"`
	// MinQuality is a quality floor in thousandths. A candidate with a lower expected
	// quality is excluded if another candidate that reaches the floor can serve the request.
	MinQuality int64 `json:"min_quality,omitempty"`
	// Weights are the shares of the candidates for the strategy weighted; nil means
	// equal shares.
	Weights map[string]int64 `json:"weights,omitempty"`
	// Topic selects which quality of the document or catalog applies to models without a
	// predicted quality.
	Topic string `json:"topic,omitempty"`
}

// Strategy is how a rule orders its candidates.
type Strategy string

// These are the strategies.
const (
	// Ordered keeps the order of the document.
	Ordered Strategy = "ordered"
	// Cheapest orders by predicted cost.
	Cheapest Strategy = "cheapest"
	// BestQuality orders by predicted quality.
	BestQuality Strategy = "quality"
	// Fastest orders by expected time to the first token.
	Fastest Strategy = "fastest"
	// Balanced orders by a score of quality, cost and latency.
	Balanced Strategy = "balanced"
	// Weighted draws a random order in proportion to the weights.
	Weighted Strategy = "weighted"
)

func strategyNames() []string {
	return []string{string(Ordered), string(Cheapest), string(BestQuality), string(Fastest), string(Balanced), string(Weighted)}
}

// IsTerminal reports whether evaluation of select stops when the rule applies.
func (r *Rule) IsTerminal() bool { return len(r.Require) == 0 }

// isValid reports whether the rule has exactly one action and only valid conditions.
func (r *Rule) isValid() bool {
	actions := 0
	for _, has := range []bool{r.Target != "", r.Deny != "", len(r.Require) > 0, len(r.Candidates) > 0} {
		if has {
			actions++
		}
	}
	if r.Aim != nil && (!r.Aim.isValid() || r.Strategy != "" || len(r.Candidates) == 0) {
		return false
	}
	return actions == 1 && !slices.ContainsFunc(r.When, func(c Condition) bool { return !c.isValid() })
}

// ModelNames returns the models, or model@provider, that the rule may choose.
func (r *Rule) ModelNames() []string {
	if r.Target != "" {
		return []string{r.Target}
	}
	return r.Candidates
}

// Requirement is a property that a candidate must have.
type Requirement struct {
	Field string `json:"field"`
	// In lists the accepted values. A candidate must match at least one of them. For
	// capabilities, a candidate must have all of them.
	In []string `json:"in,omitempty"`
	// Min is the smallest accepted context window in tokens.
	Min int64 `json:"min,omitempty"`
}

// These are the fields of requirements. Two requirements always apply: a candidate must
// support everything that the request needs, and its context window must fit the request.
const (
	RequireProviderTag  = "provider.tag" // the provider has one of these tags
	RequireProvider     = "provider"     // the provider is one of these
	RequireModel        = "model"        // the model is one of these
	RequireCapabilities = "capabilities" // the model has all of these capabilities; from_request means the capabilities that the request needs
	RequireContext      = "context"      // the context window has at least this many tokens; fits means that the request fits
)
