package policy

import (
	"iter"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// presetAims lists the routes that every policy with a chat route "auto" has, with their aims.
// A document can define a route of the same name, which then takes precedence.
var presetAims = [...]struct {
	name string
	aim  Aim
}{
	{"auto:economy", Aim{Kind: AimCost, Share: 250}},
	{"auto:balanced", Aim{Kind: AimBalanced}},
	{"auto:quality", Aim{Kind: AimQuality, Share: 990}},
}

// AllRoutes returns the routes of the document, followed by the presets.
func (p *Policy) AllRoutes() iter.Seq[*Route] {
	return func(yield func(*Route) bool) {
		for _, list := range [...][]Route{p.Routes, p.presets} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// addPresets derives the presets from the route auto. They are not part of the canonical form,
// so they do not change the version of a policy. A name that the document uses otherwise is
// skipped. It requires that the indexes of models and routes are filled.
func (p *Policy) addPresets() {
	auto, ok := p.routes["auto"]
	if !ok || auto.Kind != catalog.Chat {
		return
	}
	p.presets = make([]Route, 0, len(presetAims))
	for _, preset := range presetAims {
		_, isRoute := p.routes[preset.name]
		_, isModel := p.models[preset.name]
		if _, isAlias := p.aliases[preset.name]; isRoute || isModel || isAlias {
			continue
		}
		p.presets = append(p.presets, auto.withAim(preset.name, preset.aim))
	}
	for i := range p.presets {
		p.resolve(&p.presets[i])
		p.routes[p.presets[i].Name] = &p.presets[i]
	}
}

// withAim returns a route with the same rules, but every rule that chooses between candidates
// has the aim. What the rules require, deny and target stays, so a client cannot avoid the
// operator's rules with a preset.
func (r *Route) withAim(name string, aim Aim) Route {
	derived := Route{
		Name: name, Kind: r.Kind, Require: r.Require, OnFailure: r.OnFailure, Affinity: r.Affinity, IssuerState: r.IssuerState,
		Select: make([]Rule, len(r.Select)),
	}
	for i, rule := range r.Select {
		if len(rule.Candidates) > 0 {
			rule.Strategy, rule.Weights, rule.MinQuality, rule.Aim = "", nil, 0, &aim
		}
		derived.Select[i] = rule
	}
	return derived
}
