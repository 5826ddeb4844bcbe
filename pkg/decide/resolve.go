package decide

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// choice is the result of resolving the requested name: a rule of a route, or an
// explicit model. A model is explicit if the request names it directly, not through a
// route. No candidate has been excluded yet.
type choice struct {
	// name is the name of the route or the model, without a pinned provider.
	name     string
	explicit bool
	// route and rule are nil for an explicit model; ruleLabel names the rule.
	route     *policy.Route
	rule      *policy.Rule
	ruleLabel string
	// demands are the requirements on candidates. For an explicit model they apply
	// to its fallbacks only.
	demands   []demand
	selected  []policy.EndpointRef
	fallbacks []policy.EndpointRef
}

// isConditional reports whether a rule with conditions chose the plan.
func (c *choice) isConditional() bool { return c.rule != nil && len(c.rule.When) > 0 }

// resolveModel finds the route or model that the question names. A model can be
// written as its id, an alias, provider/model or model@provider. A model whose id
// contains "/" or "@" takes precedence over the last two forms. Each form can be followed by
// a reasoning effort, such as "#low".
func (s *selection) resolveModel() error {
	p, q := s.policy, &s.question
	if r, ok := p.Route(q.Model, q.Kind); ok {
		if err := checkAllowed(q, q.Model, r.Name); err != nil {
			return err
		}
		return s.applyRoute(r)
	}
	name, effort := policy.SplitEffort(q.Model)
	m, provider := findModel(p, name)
	if m == nil || m.Kind != q.Kind {
		return modelNotFoundError(p, q)
	}
	if effort != "" && !m.TakesEffort(effort) {
		return effortError(q, m, effort)
	}
	s.explicitEndpoint[0] = policy.EndpointRef{Model: m, Provider: provider, Effort: effort}
	s.choice.name, s.choice.explicit, s.choice.selected = m.ID, true, s.explicitEndpoint[:]
	// Embeddings are never swapped: vectors of different models cannot be compared.
	if auto, ok := p.Route("auto", q.Kind); ok && q.Caller.MaySwapModel && q.Kind != catalog.Embeddings {
		s.collectDemands(auto)
		s.choice.fallbacks = auto.FallbackEndpoints()
	}
	if len(q.Caller.Models) == 0 {
		return nil
	}
	names := append(listedNames(p, q.Caller.Models, m), name, m.ID)
	if !q.OwnEffort { // otherwise the effort in the name does not apply
		names = append(names, q.Model)
	}
	return checkAllowed(q, names...)
}

// listedNames returns the names in the key's list that stand for the whole model,
// not just for one of its endpoints or efforts.
func listedNames(p *policy.Policy, list []string, m *policy.Model) []string {
	var names []string
	for _, name := range list {
		if _, effort := policy.SplitEffort(name); effort != "" {
			continue
		}
		if found, provider := findModel(p, name); found == m && provider == "" {
			names = append(names, name)
		}
	}
	return names
}

// findModel finds a model by a name without an effort. It returns nil if there is none. The
// second result is the provider in the name, or empty.
func findModel(p *policy.Policy, name string) (*policy.Model, string) {
	if m, ok := p.Model(name); ok {
		return m, ""
	}
	provider, rest, _ := strings.Cut(name, "/")
	if m, ok := p.Model(rest); ok && provider != "" {
		if _, served := m.EndpointAt(provider); served {
			return m, provider
		}
	}
	if m, provider, ok := p.ResolveEndpoint(name); ok {
		return m, provider
	}
	m, _ := p.ModelByAlias(name)
	return m, ""
}

// checkAllowed returns an error unless the key's list is empty or contains one of the
// names.
func checkAllowed(q *Question, names ...string) error {
	list := q.Caller.Models
	if len(list) == 0 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) }) {
		return nil
	}
	return apperr.New(apperr.ModelNotAllowed, "this key is not allowed to use the model "+truncateName(q.Model)).
		With("requested_model", truncateName(q.Model))
}

// collectAllowedCandidates reads the key's list of models and routes. A list that
// contains only routes restricts the names that the key can request, but not the
// candidates of a route. If the list contains models, only these models can be
// candidates. An entry with a provider or an effort allows the model only with it. A name
// that is no longer in the policy counts as a model. If it did not count, removing a
// model from the policy could give a key access to all other models.
func (s *selection) collectAllowedCandidates(list []string) {
	for _, name := range list {
		base, effort := policy.SplitEffort(name)
		if m, provider := findModel(s.policy, base); m != nil {
			s.allowedCandidates = append(s.allowedCandidates, Candidate{Model: m.ID, Provider: provider, Effort: effort})
		} else if !isRoute(s.policy, name) {
			s.allowedCandidates = append(s.allowedCandidates, Candidate{Model: name})
		}
	}
}

func (s *selection) isAllowed(candidate Candidate) bool {
	if len(s.allowedCandidates) == 0 {
		return true
	}
	for i := range s.allowedCandidates {
		a := &s.allowedCandidates[i]
		if a.Model == candidate.Model && (a.Provider == "" || a.Provider == candidate.Provider) && (a.Effort == "" || a.Effort == candidate.Effort) {
			return true
		}
	}
	return false
}

func isRoute(p *policy.Policy, name string) bool {
	_, chat := p.Route(name, catalog.Chat)
	_, embeddings := p.Route(name, catalog.Embeddings)
	return chat || embeddings
}
