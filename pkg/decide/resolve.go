package decide

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// choice is what a name stands for, before anything is filtered.
type choice struct {
	// name is the route's or the model's, without a pinned provider.
	name     string
	explicit bool
	// provider is the only one that may serve an explicit model; "" means any.
	provider string
	rule     string
	selected []*policy.Model
	reserve  []*policy.Model
}

// resolve finds what the question's model names: a route, a model, a model at
// one provider written as provider/model, or a model by another name of it. A
// model that really has a name with a slash comes before the latter two.
func resolve(p *policy.Policy, q Question) (choice, error) {
	if r, ok := p.Route(q.Model, q.Kind); ok {
		c := choice{name: r.Name, rule: r.Select[0].Name}
		c.selected = models(p, r.Select[0].Candidates, nil)
		c.reserve = models(p, r.OnFailure, c.selected)
		return c, allowed(q, q.Model, r.Name)
	}
	m, provider := findModel(p, q.Model)
	if m == nil || m.Kind != q.Kind {
		return choice{}, notFound(p, q)
	}
	c := choice{name: m.ID, explicit: true, provider: provider, selected: []*policy.Model{m}}
	if auto, ok := p.Route("auto", q.Kind); ok && q.Asker.MaySwapModel {
		c.reserve = models(p, auto.OnFailure, c.selected)
	}
	return c, allowed(q, append(listedAs(p, q.Asker.Models, m), q.Model, m.ID)...)
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
	m, _ := p.Alias(name)
	return m, ""
}

// models looks the names up, leaving out those already taken. A policy has
// every model it names.
func models(p *policy.Policy, names []string, taken []*policy.Model) []*policy.Model {
	var all []*policy.Model
	for _, name := range names {
		if m, ok := p.Model(name); ok && !slices.Contains(taken, m) {
			all = append(all, m)
		}
	}
	return all
}

// allowed checks the key's list for one of the names the request goes by.
func allowed(q Question, names ...string) error {
	list := q.Asker.Models
	if len(list) == 0 || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(list, n) }) {
		return nil
	}
	return apperr.New(apperr.ModelNotAllowed, "this key may not use the model "+short(q.Model)).
		With("requested_model", short(q.Model))
}

// permits tells which targets the key's list lets a route use. A list that
// names no model restricts names alone; one that does restricts also what a
// route may choose: a model anywhere, or only where the list pins it.
func permits(p *policy.Policy, list []string) func(Target) bool {
	var named []Target
	for _, name := range list {
		if m, provider := findModel(p, name); m != nil {
			named = append(named, Target{Model: m.ID, Provider: provider})
		}
	}
	return func(t Target) bool {
		return len(named) == 0 || slices.Contains(named, t) || slices.Contains(named, Target{Model: t.Model})
	}
}
