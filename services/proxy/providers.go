package proxy

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

// providers holds the adapters of the policies in use: the stable one, and the candidate of a
// rollout. It also holds those of the policies before, because running requests may still use
// them.
type providers struct{ current atomic.Pointer[generation] }

type generation struct {
	// set belongs to the stable policy.
	set *registry.Set
	// sets and previous are by policy version.
	sets, previous map[string]*registry.Set
}

// build creates the adapters of policies; the first one is the stable policy. It reuses the
// clients of unchanged providers, and all adapters of a policy that was in use before.
func (ps *providers) build(version string, secrets func(ref string) (config.Secret, error), all ...*policy.Policy) error {
	before := ps.current.Load()
	if before == nil {
		before = &generation{}
	}
	next := &generation{sets: map[string]*registry.Set{}, previous: before.sets}
	reuse := before.set
	for _, p := range all {
		set := before.sets[p.Version()]
		if set == nil {
			var err error
			if set, err = registry.Build(p, registry.Deps{ResolveSecret: secrets, Version: version}, reuse); err != nil {
				return err
			}
		}
		next.sets[p.Version()], reuse = set, set
	}
	next.set = next.sets[all[0].Version()]
	ps.current.Store(next)
	return nil
}

// adaptersOf returns the adapters for p. p must be in use, or have been in use before the last
// change.
func (ps *providers) adaptersOf(p *policy.Policy) dispatch.Providers {
	g := ps.current.Load()
	for _, sets := range [...]map[string]*registry.Set{g.sets, g.previous} {
		if set := sets[p.Version()]; set != nil {
			return set
		}
	}
	return g.set
}

// isInUse reports whether p is one of the policies in use.
func (ps *providers) isInUse(p *policy.Policy) bool {
	return ps.current.Load().sets[p.Version()] != nil
}

// hasAllCredentials reports whether every credential that the policy refers to was found.
func (ps *providers) hasAllCredentials() bool {
	return len(ps.missingKeys()) == 0
}

// missingKeys lists the credentials that were not found, for all policies in use.
func (ps *providers) missingKeys() []string {
	var all []string
	ps.eachSet(func(set *registry.Set) { all = append(all, set.MissingKeys()...) })
	slices.Sort(all)
	return slices.Compact(all)
}

// keys lists the credentials of all policies in use. Unchanged providers have the same ones in
// both policies.
func (ps *providers) keys() []registry.Key {
	var all []registry.Key
	ps.eachSet(func(set *registry.Set) { all = append(all, set.Keys()...) })
	slices.SortFunc(all, func(a, b registry.Key) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(all, func(a, b registry.Key) bool { return a.Provider == b.Provider && a.Name == b.Name })
}

func (ps *providers) eachSet(each func(*registry.Set)) {
	if g := ps.current.Load(); g != nil {
		for _, set := range g.sets {
			each(set)
		}
	}
}

// credentials lists the state of every credential that the policies in use refer to.
func (ps *providers) credentials() []control.Credential {
	var all []control.Credential
	for _, k := range ps.keys() {
		state := control.CredentialPresent
		if k.Suspended {
			state = control.CredentialRejected
		}
		all = append(all, control.Credential{Provider: k.Provider, Name: k.Name, State: state})
	}
	ps.eachSet(func(set *registry.Set) {
		for name, missing := range set.MissingKeysByProvider() {
			for _, ref := range missing {
				all = append(all, control.Credential{Provider: name, Name: ref, State: control.CredentialMissing})
			}
		}
	})
	slices.SortFunc(all, func(a, b control.Credential) int {
		return cmp.Or(strings.Compare(a.Provider, b.Provider), strings.Compare(a.Name, b.Name), strings.Compare(a.State, b.State))
	})
	return slices.Compact(all)
}

// suspendedKeys lists the credentials that their providers reject, or returns "" if there are
// none.
func (ps *providers) suspendedKeys() string {
	var all []string
	for _, k := range ps.keys() {
		if k.Suspended {
			all = append(all, k.Provider+" "+k.Name)
		}
	}
	return strings.Join(all, ", ")
}

func (ps *providers) measure(m metric.Meter) error {
	_, err := m.Int64ObservableGauge("signalbox_provider_key_suspended",
		metric.WithDescription("1 while the provider rejects the key, otherwise 0."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, k := range ps.keys() {
				o.Observe(oneIf(k.Suspended), metric.WithAttributes(attribute.String("provider", k.Provider), attribute.String("key", k.Name)))
			}
			return nil
		}))
	return err
}
