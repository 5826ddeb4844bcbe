package policy

import (
	"fmt"
	"slices"
)

// Place is a model, at one provider or, with "", at any.
type Place struct {
	Model    *Model
	Provider string
}

// resolved is what every decision by a route would else look up anew.
type resolved struct {
	// labels and selected are those of the rules.
	labels    []string
	selected  [][]Place
	reserve   []Place
	needsText bool
}

// resolve is for a policy whose models can be found.
func (p *Policy) resolve(r *Route) {
	of := resolved{reserve: p.places(r.OnFailure), needsText: r.Affinity != nil || slices.ContainsFunc(r.Select, Rule.needsText)}
	for i := range r.Select {
		of.labels = append(of.labels, r.Label(i))
		of.selected = append(of.selected, p.places(r.Select[i].Names()))
	}
	r.resolved = of
}

// places leaves out what is not there; a policy that passed its check has every
// model it names.
func (p *Policy) places(names []string) []Place {
	all := make([]Place, 0, len(names))
	for _, name := range names {
		if m, provider, ok := p.Place(name); ok {
			all = append(all, Place{m, provider})
		}
	}
	return all
}

// Label is the name of a rule, or its place where it has none.
func (r *Route) Label(i int) string {
	switch {
	case r.labels != nil:
		return r.labels[i]
	case r.Select[i].Name != "":
		return r.Select[i].Name
	}
	return fmt.Sprintf("select[%d]", i)
}

// Selected are the places of a rule's target or candidates. Callers must not
// change them.
func (r *Route) Selected(i int) []Place { return r.selected[i] }

// Reserve are the places of on_failure. Callers must not change them.
func (r *Route) Reserve() []Place { return r.reserve }

// NeedsText tells whether a decision by the route depends on what the router
// alone knows: features of the text, predicted qualities, expected latencies,
// where a conversation was. Any other is the same wherever it is made.
func (p *Policy) NeedsText(r *Route) bool { return r.needsText }
