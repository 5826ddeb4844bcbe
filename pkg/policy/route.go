package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Route is a name that callers may send as their model.
type Route struct {
	Name string       `json:"name"`
	Kind catalog.Kind `json:"kind"`
	// Require is what every target must have, whatever it costs.
	Require []Requirement `json:"require,omitempty"`
	// Select is read in order. Rules that require narrow what follows; the first
	// other one that applies makes the plan. The last one always applies.
	Select []Rule `json:"select"`
	// OnFailure continues the plan after what was selected: models, or
	// model@provider.
	OnFailure []string  `json:"on_failure,omitempty"`
	Affinity  *Affinity `json:"affinity,omitempty"`
	Tests     []Test    `json:"tests,omitempty"`

	resolved
}

// Affinity keeps a conversation where it was, for the sake of the provider's
// cache. It is a preference: it never goes past a hard filter, a target or a
// quality floor.
type Affinity struct {
	Scope string `json:"scope"`
	// TTL is how long after its last request a conversation is remembered.
	TTL time.Duration `json:"ttl"`
	// YieldsTo are the states of a target in which it is left: breaker,
	// rate_limit.
	YieldsTo []string `json:"yields_to"`
}

// The scope of an affinity, and what it may yield to.
const (
	ScopeConversation = "conversation"
	YieldBreaker      = "breaker"
	YieldRateLimit    = "rate_limit"
)

// Names are all models, or model@provider, that the route may use, each once.
func (r *Route) Names() []string {
	var all []string
	for i := range r.Select {
		all = append(all, r.Select[i].Names()...)
	}
	return unique(append(all, r.OnFailure...))
}

func (r Rule) needsText() bool {
	switch r.Strategy {
	case BestQuality, Fastest, Balanced:
		return true
	}
	return r.MinQuality > 0 || slices.ContainsFunc(r.When, func(c Condition) bool {
		return c.Field == FieldFeature && !structural(c.Name)
	})
}

// Mentions tells whether a rule asks for this value of a request's metadata.
func (p *Policy) Mentions(name, v string) bool {
	return slices.ContainsFunc(p.Routes, func(r Route) bool {
		return slices.ContainsFunc(r.Select, func(rule Rule) bool {
			return slices.ContainsFunc(rule.When, func(c Condition) bool {
				return c.Field == FieldMetadata && c.Name == name && slices.Contains(c.In, v)
			})
		})
	})
}

// Place finds a model by a name as rules have it: a model, or model@provider,
// which is then also returned.
func (p *Policy) Place(name string) (m *Model, provider string, ok bool) {
	if m, ok := p.models[name]; ok {
		return m, "", true
	}
	at := strings.LastIndexByte(name, '@')
	if at < 0 {
		return nil, "", false
	}
	m, ok = p.models[name[:at]]
	if !ok {
		return nil, "", false
	}
	_, served := m.At(name[at+1:])
	return m, name[at+1:], served && name[at+1:] != ""
}
