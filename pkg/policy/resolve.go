package policy

import (
	"fmt"
	"slices"
)

// EndpointRef refers to a model at one provider, or at any provider if Provider is empty.
// Effort is the reasoning effort of the candidate, or empty.
type EndpointRef struct {
	Model    *Model
	Provider string
	Effort   string
}

// resolved holds data that is derived from a route, so that decisions need no lookups by
// name.
type resolved struct {
	// labels and selected have one entry per rule.
	labels      []string
	selected    [][]EndpointRef
	fallbacks   []EndpointRef
	needsRouter bool
	// comparesBaseline is set if a rule has an aim.
	comparesBaseline bool
}

// resolve fills r.resolved. It requires that p.models is already filled.
func (p *Policy) resolve(r *Route) {
	of := resolved{fallbacks: p.resolveEndpoints(r.OnFailure), needsRouter: r.Affinity != nil || slices.ContainsFunc(r.Select, Rule.needsRouter)}
	for i := range r.Select {
		of.comparesBaseline = of.comparesBaseline || r.Select[i].Aim != nil
		of.labels = append(of.labels, r.Label(i))
		of.selected = append(of.selected, p.resolveEndpoints(r.Select[i].ModelNames()))
	}
	r.resolved = of
}

// resolveEndpoints skips unknown names. A valid policy has no unknown names.
func (p *Policy) resolveEndpoints(names []string) []EndpointRef {
	all := make([]EndpointRef, 0, len(names))
	for _, name := range names {
		if m, provider, ok := p.ResolveEndpoint(name); ok {
			_, effort := SplitEffort(name)
			all = append(all, EndpointRef{m, provider, effort})
		}
	}
	return all
}

// Label returns the name of the i-th rule, or select[i] if the rule has no name.
func (r *Route) Label(i int) string {
	switch {
	case r.labels != nil:
		return r.labels[i]
	case r.Select[i].Name != "":
		return r.Select[i].Name
	}
	return fmt.Sprintf("select[%d]", i)
}

// SelectedEndpoints returns the endpoints that the i-th rule may choose. Callers must
// not change the slice.
func (r *Route) SelectedEndpoints(i int) []EndpointRef { return r.selected[i] }

// FallbackEndpoints returns the endpoints of on_failure. Callers must not change
// the slice.
func (r *Route) FallbackEndpoints() []EndpointRef { return r.fallbacks }

// NeedsRouter reports whether a decision of the route depends on inputs that only
// the router has: text features, predicted qualities, expected latencies or the
// candidate that served the conversation last. A proxy can make any other decision
// itself.
func (p *Policy) NeedsRouter(r *Route) bool { return r.needsRouter }

// ComparesBaseline reports whether a decision of the route depends on the predicted quality
// of the baseline model.
func (r *Route) ComparesBaseline() bool { return r.comparesBaseline }
