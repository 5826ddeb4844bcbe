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

// providers has the adapters of the active policy, and of the one before it:
// requests that were decided under that finish on it.
type providers struct{ now atomic.Pointer[generation] }

type generation struct {
	policy string
	set    *registry.Set
	before *registry.Set
}

// build makes the adapters of a policy; clients that did not change go on.
func (ps *providers) build(p *policy.Policy, version string, secrets func(ref string) (config.Secret, error)) error {
	var before *registry.Set
	if g := ps.now.Load(); g != nil {
		before = g.set
	}
	set, err := registry.Build(p, registry.Deps{Secrets: secrets, Version: version}, before)
	if err != nil {
		return err
	}
	ps.now.Store(&generation{policy: p.Version(), set: set, before: before})
	return nil
}

// of returns the adapters of a policy that was active a moment ago.
func (ps *providers) of(p *policy.Policy) dispatch.Providers {
	g := ps.now.Load()
	if g.policy != p.Version() && g.before != nil {
		return g.before
	}
	return g.set
}

// complete reports whether every credential was found.
func (ps *providers) complete() bool {
	g := ps.now.Load()
	return g == nil || len(g.set.Missing()) == 0
}

// keys are the credentials of the active policy.
func (ps *providers) keys() []registry.Key {
	if g := ps.now.Load(); g != nil {
		return g.set.Keys()
	}
	return nil
}

// parked names the keys that their providers refuse, for people; it is empty
// when all is well.
func (ps *providers) parked() string {
	var all []string
	for _, k := range ps.keys() {
		if k.Parked {
			all = append(all, k.Provider+" "+k.Name)
		}
	}
	return strings.Join(all, ", ")
}

// measure shows which keys are parked.
func (ps *providers) measure(m metric.Meter) error {
	_, err := m.Int64ObservableGauge("signalbox_provider_key_parked",
		metric.WithDescription("1 while a provider refuses the key, else 0."),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for _, k := range ps.keys() {
				parked := int64(0)
				if k.Parked {
					parked = 1
				}
				o.Observe(parked, metric.WithAttributes(attribute.String("provider", k.Provider), attribute.String("key", k.Name)))
			}
			return nil
		}))
	return err
}
