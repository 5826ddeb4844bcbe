// Package registry turns the providers of a policy into clients that can be
// called. It is the one place that knows every kind of provider: a new one is
// a folder of its own and a line in the table here. It stands beside package
// provider, and not in it, because the adapters import that. It chooses
// nothing and retries nothing.
package registry

import (
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/egress"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/anthropic"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openaicompat"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
)

// Deps is what building needs from outside.
type Deps struct {
	// Secrets resolves a credential's reference.
	Secrets func(ref string) (config.Secret, error)
	// Version is told to upstreams.
	Version string
}

// parts is what a client is made of.
type parts struct {
	*policy.Provider
	keys    *keypool.Pool
	version string
}

// constructor makes a client, which is a provider.Chatter, a
// provider.Embedder, or both.
type constructor func(p parts) (any, error)

var kinds = map[string]constructor{
	"openai":    newOpenAI,
	"anthropic": newAnthropic,
	"gemini":    newGemini,
	"sandbox":   func(parts) (any, error) { return sandbox.New(), nil },
}

func newOpenAI(p parts) (any, error) {
	return openaicompat.New(openaicompat.Config{
		Name: p.Name, BaseURL: p.BaseURL, Wire: p.Wire, Keys: p.keys, Transport: p.transport(), Version: p.version,
	})
}

func newAnthropic(p parts) (any, error) {
	return anthropic.New(anthropic.Config{
		Name: p.Name, BaseURL: p.BaseURL, Keys: p.keys, Transport: p.transport(), Version: p.version,
	})
}

func newGemini(p parts) (any, error) {
	return gemini.New(gemini.Config{
		Name: p.Name, BaseURL: p.BaseURL, Keys: p.keys, Transport: p.transport(), Version: p.version,
	})
}

// transport is the provider's own: its connections and limits are nobody
// else's.
func (p parts) transport() *egress.Transport {
	return egress.New(egress.Config{AllowPrivate: p.AllowPrivate, ConnectTimeout: p.Timeouts.Connect, HTTP2: p.HTTP2})
}

// Build makes a Set for the policy. Clients of old whose entry and credential
// did not change go on in the new one, with their connections; old may be nil
// and stays valid. Build fails, naming every fault, on an entry that cannot be
// made into a client; a credential that is not there is no such fault.
func Build(p *policy.Policy, deps Deps, old *Set) (*Set, error) {
	if deps.Secrets == nil {
		return nil, errors.New("registry: Deps.Secrets is missing")
	}
	set := &Set{entries: make(map[string]entry, len(p.Providers))}
	var faults []error
	for i := range p.Providers {
		e, err := build(&p.Providers[i], deps, old)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		set.entries[e.config.Name] = e
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return set, nil
}

func build(p *policy.Provider, deps Deps, old *Set) (entry, error) {
	construct, ok := kinds[p.Kind]
	if !ok {
		return entry{}, fmt.Errorf("provider %s: unknown kind %q", p.Name, p.Kind)
	}
	e := entry{config: *p}
	e.keys, e.missing = resolve(p, deps)
	if kept, ok := old.same(e); ok {
		return kept, nil
	}
	if len(p.Keys) > 0 && len(e.keys) == 0 {
		e.client = locked{name: p.Name}
		return e, nil
	}
	var err error
	if len(e.keys) > 0 {
		if e.pool, err = keypool.New(e.keys...); err != nil {
			return entry{}, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	e.client, err = construct(parts{Provider: p, keys: e.pool, version: deps.Version})
	return e, err
}

// resolve finds the keys that are there, and the names of those that are not.
func resolve(p *policy.Provider, deps Deps) (found []keypool.Key, missing []string) {
	for _, k := range p.Keys {
		secret, err := deps.Secrets(k.Ref)
		if err != nil {
			missing = append(missing, refName(k.Ref))
			continue
		}
		found = append(found, keypool.Key{Name: refName(k.Ref), Secret: secret, Weight: k.Weight})
	}
	return found, missing
}
