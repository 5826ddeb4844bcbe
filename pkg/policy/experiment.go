package policy

import (
	"fmt"
	"slices"
)

// Experiment compares candidates on real requests. After a sampled request was served,
// another candidate answers it too, and a judge compares both responses. The client sees
// and pays nothing of it.
type Experiment struct {
	Name string `json:"name"`
	// Share is the sampled part of the eligible requests, in ten-thousandths.
	Share int64 `json:"share"`
	// Routes and Keys select the requests: the routes that clients name, and the ids of
	// keys. If both are set, both must match. At least one of them is set.
	Routes []string `json:"routes,omitempty"`
	Keys   []string `json:"keys,omitempty"`
	// Candidates are the models, or model@provider, that are compared with the model that
	// served the request.
	Candidates []string `json:"candidates"`
	// Judge is the model, or model@provider, that compares the responses.
	Judge string `json:"judge"`
	// Rubrics replaces what the judge looks for, by kind of task.
	Rubrics map[string]string `json:"rubrics,omitempty"`
	// Paused experiments sample nothing. Their results stay.
	Paused bool `json:"paused,omitempty"`
	// NanoUSDPerDay is what the experiment may spend in a UTC day, judge included.
	NanoUSDPerDay int64 `json:"nano_usd_per_day"`
}

// WholeShare is the Share of an experiment that samples every eligible request.
const WholeShare = 10_000

const (
	maxExperiments          = 16
	maxExperimentCandidates = 8
	maxRubric               = 4096
	// maxDailyUSD is more than an experiment should ever cost. A higher limit is probably
	// written in cents.
	maxDailyUSD = 100_000
)

// RubricTasks returns the kinds of task for which an experiment can have a rubric. They are
// the topics of package topic.
func RubricTasks() []string {
	return []string{"general", "code", "agentic", "math", "reasoning", "data", "language", "instructions"}
}

// Selects reports whether the experiment samples requests of a key that name a route. route
// is empty if the request names a model.
func (e *Experiment) Selects(route, keyID string) bool {
	return !e.Paused && (len(e.Routes) == 0 || route != "" && slices.Contains(e.Routes, route)) &&
		(len(e.Keys) == 0 || slices.Contains(e.Keys, keyID))
}

// validateExperiments checks decoded experiments. The proxy relies on it.
func (p *Policy) validateExperiments() error {
	for i := range p.Experiments {
		e := &p.Experiments[i]
		for _, name := range append(slices.Clone(e.Candidates), e.Judge) {
			if _, _, ok := p.ResolveEndpoint(name); !ok {
				return fmt.Errorf("decode policy: experiment %q: no model %q", e.Name, name)
			}
		}
		if e.Share <= 0 || e.Share > WholeShare || e.NanoUSDPerDay <= 0 || len(e.Candidates) == 0 || len(e.Routes)+len(e.Keys) == 0 {
			return fmt.Errorf("decode policy: experiment %q is incomplete", e.Name)
		}
	}
	return nil
}
