package decide

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
)

// choice is what a name stands for, before anything is filtered.
type choice struct {
	// name is the route's or the model's, without a pinned provider.
	name     string
	explicit bool
	// route and rule are nil for an explicit name; label names the rule.
	route *policy.Route
	rule  *policy.Rule
	label string
	// demands are what targets must meet; of an explicit name they bind only
	// what stands in for it.
	demands  []demand
	selected []policy.Place
	reserve  []policy.Place
}

// conditional tells whether a rule with conditions chose the plan.
func (c *choice) conditional() bool { return c.rule != nil && len(c.rule.When) > 0 }

// resolve finds what the question's model names: a route, a model, a model at
// one provider written as provider/model or model@provider, or a model by
// another name of it. A model that really has a name with such a mark comes
// before the others.
func (f *field) resolve() error {
	p, q := f.p, &f.q
	if r, ok := p.Route(q.Model, q.Kind); ok {
		if err := allowed(q, q.Model, r.Name); err != nil {
			return err
		}
		return f.choose(r)
	}
	m, provider := findModel(p, q.Model)
	if m == nil || m.Kind != q.Kind {
		return notFound(p, q)
	}
	f.only[0] = policy.Place{Model: m, Provider: provider}
	f.c.name, f.c.explicit, f.c.selected = m.ID, true, f.only[:]
	// Vectors of two models cannot be compared, whatever a key allows.
	if auto, ok := p.Route("auto", q.Kind); ok && q.Asker.MaySwapModel && q.Kind != catalog.Embeddings {
		f.read(auto)
		f.c.reserve = auto.Reserve()
	}
	if len(q.Asker.Models) == 0 {
		return nil
	}
	return allowed(q, append(listedAs(p, q.Asker.Models, m), q.Model, m.ID)...)
}

// listedAs are the names by which the key's list has the whole model, not only
// a place of it.
func listedAs(p *policy.Policy, list []string, m *policy.Model) []string {
	var names []string
	for _, name := range list {
		if found, provider := findModel(p, name); found == m && provider == "" {
			names = append(names, name)
		}
	}
	return names
}

func findModel(p *policy.Policy, name string) (*policy.Model, string) {
	if m, ok := p.Model(name); ok {
		return m, ""
	}
	provider, rest, _ := strings.Cut(name, "/")
	if m, ok := p.Model(rest); ok && provider != "" {
		if _, served := m.At(provider); served {
			return m, provider
		}
	}
	if m, provider, ok := p.Place(name); ok {
		return m, provider
	}
	m, _ := p.Alias(name)
	return m, ""
}

// allowed checks the key's list for one of the names the request goes by.
func allowed(q *Question, names ...string) error {
	list := q.Asker.Models
	if len(list) == 0 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) }) {
		return nil
	}
	return apperr.New(apperr.ModelNotAllowed, "this key may not use the model "+short(q.Model)).
		With("requested_model", short(q.Model))
}

// permit finds the targets that the key's list lets a route use. A list of
// routes restricts names alone; one that names a model restricts also what a
// route may choose: a model anywhere, or only where the list pins it. A name that
// is not in the policy any more is taken for a model's: what is gone must not
// widen the list.
func (f *field) permit(list []string) {
	for _, name := range list {
		if m, provider := findModel(f.p, name); m != nil {
			f.named = append(f.named, Target{Model: m.ID, Provider: provider})
		} else if !isRoute(f.p, name) {
			f.named = append(f.named, Target{Model: name})
		}
	}
}

func (f *field) permits(t Target) bool {
	return len(f.named) == 0 || slices.Contains(f.named, t) || slices.Contains(f.named, Target{Model: t.Model})
}

func isRoute(p *policy.Policy, name string) bool {
	_, chat := p.Route(name, catalog.Chat)
	_, embeddings := p.Route(name, catalog.Embeddings)
	return chat || embeddings
}
