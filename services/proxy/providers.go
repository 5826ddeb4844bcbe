package proxy

import (
	"context"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/dispatch"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/registry"
)

// providers holds the adapters of the active policy and of the previous policy. Running requests
// may still use the previous policy.
type providers struct{ current atomic.Pointer[generation] }

type generation struct {
	policy   string
	set      *registry.Set
	previous *registry.Set
}

// build creates the adapters of a policy. It reuses the clients of unchanged providers.
func (ps *providers) build(p *policy.Policy, version string, secrets func(ref string) (config.Secret, error)) error {
	var before *registry.Set
	if g := ps.current.Load(); g != nil {
		before = g.set
	}
	set, err := registry.Build(p, registry.Deps{ResolveSecret: secrets, Version: version}, before)
	if err != nil {
		return err
	}
	ps.current.Store(&generation{policy: p.Version(), set: set, previous: before})
	return nil
}

// adaptersOf returns the adapters for p. p must be the active or the previous policy.
func (ps *providers) adaptersOf(p *policy.Policy) dispatch.Providers {
	g := ps.current.Load()
	if g.policy != p.Version() && g.previous != nil {
		return g.previous
	}
	return g.set
}

// hasAllCredentials reports whether every credential that the policy refers to was found.
func (ps *providers) hasAllCredentials() bool {
	g := ps.current.Load()
	return g == nil || len(g.set.MissingKeys()) == 0
}

func (ps *providers) keys() []registry.Key {
	if g := ps.current.Load(); g != nil {
		return g.set.Keys()
	}
	return nil
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
