// Package modellist describes the models and routes that a key may use, in the formats of
// OpenAI, Anthropic and Google.
package modellist

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// List contains the models and routes that a key may use.
type List struct {
	policy *policy.Policy
	caller *keys.Principal
	// cards has the routes first.
	cards []Card
}

// New returns the list for a key.
func New(p *policy.Policy, caller *keys.Principal) *List {
	l := &List{policy: p, caller: caller, cards: []Card{}}
	for r := range p.AllRoutes() {
		if l.isAllowed(r.Name) {
			l.cards = append(l.cards, routeCard(p, r))
		}
	}
	for i := range p.Models {
		l.cards = append(l.cards, modelCards(caller, &p.Models[i])...)
	}
	for _, name := range caller.Models {
		if c, ok := l.effortCard(name); ok {
			l.cards = append(l.cards, c)
		}
	}
	return l
}

// Find returns the card of a name. Clients may also use names that the list lacks.
func (l *List) Find(name string) (Card, bool) {
	if i := indexOfCard(l.cards, name); i >= 0 {
		return l.cards[i], true
	}
	if c, ok := l.autoCard(name); ok {
		return c, true
	}
	if c, ok := l.effortCard(name); ok {
		return c, true
	}
	return l.findUnlisted(name)
}

// effortCard describes a model with a reasoning effort in its name, such as gpt-x#low.
func (l *List) effortCard(name string) (Card, bool) {
	base, effort := policy.SplitEffort(name)
	m, _, ok := l.policy.ResolveEndpoint(name)
	if effort == "" || !ok || !l.isAllowed(name) && !l.isAllowed(m.ID) {
		return Card{}, false
	}
	c := cheapestCard(m)
	if _, provider, _ := l.policy.ResolveEndpoint(base); provider != "" {
		c = pinnedCard(m, provider)
	}
	c.ID = name
	return c, true
}

func (l *List) isAllowed(name string) bool { return isAllowed(l.caller, name) }

// autoCard describes the route that has another name, such as claude-auto.
func (l *List) autoCard(name string) (Card, bool) {
	r, ok := l.policy.Route(name, catalog.Chat)
	if !ok || !l.isAllowed(name) && !l.isAllowed(r.Name) {
		return Card{}, false
	}
	c := routeCard(l.policy, r)
	c.ID = name
	return c, true
}

// findUnlisted finds a model by an alias or by provider/model. Clients can use such names,
// but the list has them only if the key may not use the model's own name.
func (l *List) findUnlisted(name string) (Card, bool) {
	provider, id, _ := strings.Cut(name, "/")
	if m, ok := l.policy.Model(id); ok && provider != "" && l.isAllowed(m.ID) {
		if _, served := m.EndpointAt(provider); served {
			return pinnedCard(m, provider), true
		}
	}
	m, ok := l.policy.ModelByAlias(name)
	if !ok || !l.isAllowed(m.ID) && !l.isAllowed(name) {
		return Card{}, false
	}
	c := cheapestCard(m)
	c.ID = name
	return c, true
}

// withAuto returns the models of the given kinds, with another name of the route auto in front
// if the key may use it. Some clients show only models of their own vendor.
func (l *List) withAuto(name string, kinds ...catalog.Kind) []Card {
	var all []Card
	if c, ok := l.autoCard(name); ok {
		all = append(all, c)
	}
	for _, c := range l.cards {
		if c.ID != name && slices.Contains(kinds, c.Kind) {
			all = append(all, c)
		}
	}
	return all
}
