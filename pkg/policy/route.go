package policy

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Route is a set of rules. Clients can send the name of a route as their model.
type Route struct {
	Name string       `json:"name"`
	Kind catalog.Kind `json:"kind"`
	// Require lists requirements that every candidate must meet.
	Require []Requirement `json:"require,omitempty"`
	// Select is evaluated in order. Rules with Require narrow the choice of later
	// rules. Of the other rules, the first rule that applies decides. The last rule
	// always applies.
	Select []Rule `json:"select"`
	// OnFailure lists the fallbacks: models, or model@provider.
	OnFailure []string  `json:"on_failure,omitempty"`
	Affinity  *Affinity `json:"affinity,omitempty"`
	// IssuerState is IssuerStrip, or empty for IssuerKeep.
	IssuerState string `json:"issuer_state,omitempty"`
	Tests       []Test `json:"tests,omitempty"`

	resolved
}

// Affinity keeps a conversation at the candidate that served it last, to use the
// provider's prompt cache. Affinity is a preference. It never overrides a requirement,
// a rule's target or a quality floor.
type Affinity struct {
	Scope string `json:"scope"`
	// TTL is how long after its last request a conversation is remembered.
	TTL time.Duration `json:"ttl"`
	// YieldsTo lists the states of a candidate (breaker, rate_limit) in which the
	// conversation moves to another candidate.
	YieldsTo []string `json:"yields_to"`
}

// ScopeConversation is the only scope. The other constants are states for YieldsTo.
const (
	ScopeConversation = "conversation"
	YieldBreaker      = "breaker"
	YieldRateLimit    = "rate_limit"
)

// These are the ways to treat issuer-bound state: parts of a conversation that only the
// provider that made them can read, such as encrypted reasoning.
const (
	// IssuerKeep sends the state on, so only its issuer can serve the request.
	IssuerKeep = "keep"
	// IssuerStrip removes the state for providers of other protocols than the client's, so
	// that any candidate can serve the request.
	IssuerStrip = "strip"
)

// StripsIssuerState reports whether issuer-bound state is removed for providers of other
// protocols. r may be nil, for a request that names a model.
func (r *Route) StripsIssuerState() bool { return r != nil && r.IssuerState == IssuerStrip }

// ModelNames returns every model, or model@provider, that the route may choose.
func (r *Route) ModelNames() []string {
	var all []string
	for i := range r.Select {
		all = append(all, r.Select[i].ModelNames()...)
	}
	return unique(append(all, r.OnFailure...))
}

func (r Rule) needsRouter() bool {
	switch r.Strategy {
	case BestQuality, Fastest, Balanced:
		return true
	}
	return r.Aim != nil || r.MinQuality > 0 || slices.ContainsFunc(r.When, func(c Condition) bool {
		return c.Field == FieldFeature && !isStructural(c.Name)
	})
}

// UsesMetadata reports whether a condition of any rule accepts the value v of the metadata
// field with the given name.
func (p *Policy) UsesMetadata(name, v string) bool {
	return slices.ContainsFunc(p.Routes, func(r Route) bool {
		return slices.ContainsFunc(r.Select, func(rule Rule) bool {
			return slices.ContainsFunc(rule.When, func(c Condition) bool {
				return c.Field == FieldMetadata && c.Name == name && slices.Contains(c.In, v)
			})
		})
	})
}

// ResolveEndpoint resolves a name as written in rules: a model, or model@provider, with or
// without a reasoning effort. The provider is empty if the name contains none.
func (p *Policy) ResolveEndpoint(name string) (m *Model, provider string, ok bool) {
	name, effort := SplitEffort(name)
	m, provider, ok = p.resolvePinned(name)
	return m, provider, ok && (effort == "" || m.TakesEffort(effort))
}

func (p *Policy) resolvePinned(name string) (m *Model, provider string, ok bool) {
	if m, ok := p.models[name]; ok {
		return m, "", true
	}
	model, provider, pinned := splitPinnedProvider(name)
	m, ok = p.models[model]
	if !ok || !pinned {
		return nil, "", false
	}
	_, served := m.EndpointAt(provider)
	return m, provider, served && provider != ""
}
