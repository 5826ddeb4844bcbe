// Package registry builds the clients of the providers in a policy. It is the only
// package that imports every adapter. A new kind of provider needs its own package and
// one entry in the map constructors of this package. The package is separate from package
// provider because the adapters import package provider.
package registry

import (
	"errors"
	"fmt"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/anthropic"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/gemini"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/openairesponses"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/sandbox"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/upstream"
)

// Deps holds the dependencies of Build.
type Deps struct {
	// ResolveSecret returns the credential for a reference (env:NAME or file:PATH).
	ResolveSecret func(ref string) (config.Secret, error)
	// Version is the gateway's version, which upstreams see in User-Agent.
	Version string
}

// constructor returns a client that implements provider.ChatCompleter,
// provider.Embedder or both.
type constructor func(c upstream.Config) (any, error)

var constructors = map[string]constructor{
	"openai":    func(c upstream.Config) (any, error) { return openairesponses.New(c) },
	"anthropic": func(c upstream.Config) (any, error) { return anthropic.New(c) },
	"gemini":    func(c upstream.Config) (any, error) { return gemini.New(c) },
	"sandbox":   func(upstream.Config) (any, error) { return sandbox.New(), nil },
}

// Build returns the Set for a policy. It reuses a client of old, with its connections,
// if neither the provider's settings nor its credentials changed. old may be nil and
// stays valid. Build fails if a provider cannot be built, and reports all such
// providers. A provider without a usable credential does not make Build fail. Instead,
// calls to this provider fail.
func Build(p *policy.Policy, deps Deps, old *Set) (*Set, error) {
	if deps.ResolveSecret == nil {
		return nil, errors.New("registry: Deps.ResolveSecret is missing")
	}
	set := &Set{entries: make(map[string]entry, len(p.Providers))}
	var errs []error
	for i := range p.Providers {
		e, err := buildEntry(&p.Providers[i], deps, old)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		set.entries[e.config.Name] = e
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return set, nil
}

func buildEntry(p *policy.Provider, deps Deps, old *Set) (entry, error) {
	construct, ok := constructors[p.Kind]
	if !ok {
		return entry{}, fmt.Errorf("provider %s: unknown kind %q", p.Name, p.Kind)
	}
	e := entry{config: *p}
	e.keys, e.missing = resolveKeys(p, deps)
	if unchanged, ok := old.findUnchanged(e); ok {
		return unchanged, nil
	}
	if len(p.Keys) > 0 && len(e.keys) == 0 {
		e.client = unresolvedClient{name: p.Name}
		return e, nil
	}
	var err error
	if len(e.keys) > 0 {
		if e.pool, err = keypool.New(e.keys...); err != nil {
			return entry{}, fmt.Errorf("provider %s: %w", p.Name, err)
		}
	}
	e.client, err = construct(upstream.Config{
		Name: p.Name, BaseURL: p.BaseURL, Wire: p.Wire, Keys: e.pool, Transport: newTransport(p), Version: deps.Version,
	})
	return e, err
}

func resolveKeys(p *policy.Provider, deps Deps) (found []keypool.Key, missing []string) {
	for _, k := range p.Keys {
		secret, err := deps.ResolveSecret(k.Ref)
		if err != nil {
			missing = append(missing, displayName(k.Ref))
			continue
		}
		found = append(found, keypool.Key{Name: displayName(k.Ref), Secret: secret, Weight: k.Weight})
	}
	return found, missing
}
