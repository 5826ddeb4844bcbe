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

// constructor makes a client, which is a provider.Chatter, a
// provider.Embedder, or both.
type constructor func(p *policy.Provider, credential config.Secret, version string) (any, error)

var kinds = map[string]constructor{
	"openai":  newOpenAI,
	"sandbox": newSandbox,
}

func newOpenAI(p *policy.Provider, credential config.Secret, version string) (any, error) {
	return openaicompat.New(openaicompat.Config{
		Name:       p.Name,
		BaseURL:    p.BaseURL,
		Credential: credential,
		Transport:  egress.New(egress.Config{AllowPrivate: p.AllowPrivate, ConnectTimeout: p.Timeouts.Connect}),
		Version:    version,
	})
}

func newSandbox(*policy.Provider, config.Secret, string) (any, error) {
	return sandbox.New(), nil
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
	e.credential, e.missing = credential(p, deps)
	if kept, ok := old.same(e); ok {
		return kept, nil
	}
	if len(p.Keys) > 0 && e.credential == "" {
		e.client = locked{name: p.Name}
		return e, nil
	}
	var err error
	e.client, err = construct(p, e.credential, deps.Version)
	return e, err
}

// credential is the first key that resolves, and the names of those that do
// not.
func credential(p *policy.Provider, deps Deps) (found config.Secret, missing []string) {
	for _, k := range p.Keys {
		secret, err := deps.Secrets(k.Ref)
		if err != nil {
			missing = append(missing, refName(k.Ref))
		} else if found == "" {
			found = secret
		}
	}
	return found, missing
}
