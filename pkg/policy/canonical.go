package policy

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Decode reads the canonical form of a compiled policy, such as a snapshot from the
// router or from disk. It rejects unknown fields, invalid rules, routes and endpoints with
// unknown names, and any other encoding of the same content. The caller must compare
// Version with the expected version.
func Decode(canonical []byte) (*Policy, error) {
	d := json.NewDecoder(bytes.NewReader(canonical))
	d.DisallowUnknownFields()
	p := &Policy{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("decode policy: %w", err)
	}
	if p.Schema != Schema {
		return nil, fmt.Errorf("decode policy: the schema is %d, but this build reads only schema %d", p.Schema, Schema)
	}
	if err := p.seal(); err != nil {
		return nil, fmt.Errorf("decode policy: %w", err)
	}
	if !bytes.Equal(p.canonical, canonical) {
		return nil, errors.New("decode policy: not in canonical form")
	}
	return p, p.validate()
}

// seal sorts and encodes the policy, computes its version, and builds its indexes.
// The policy must not change afterwards.
func (p *Policy) seal() error {
	slices.SortFunc(p.Providers, func(a, b Provider) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Models, func(a, b Model) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(p.Routes, func(a, b Route) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.Experiments, func(a, b Experiment) int { return cmp.Compare(a.Name, b.Name) })
	canonical, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode policy: %w", err)
	}
	sum := sha256.Sum256(canonical)
	p.canonical, p.version = canonical, hex.EncodeToString(sum[:])
	p.providers, p.routes = map[string]*Provider{}, map[string]*Route{}
	for i := range p.Providers {
		p.providers[p.Providers[i].Name] = &p.Providers[i]
	}
	p.resolveCaches()
	p.models, p.aliases = indexModels(p.Models)
	for i := range p.Routes {
		p.routes[p.Routes[i].Name] = &p.Routes[i]
		p.resolve(&p.Routes[i])
	}
	p.addPresets()
	return nil
}

// validate checks the patterns to redact, the rules, the providers of endpoints, and the
// models that routes may choose. Package decide relies on these checks and does not
// repeat them.
func (p *Policy) validate() error {
	for _, r := range p.Defaults.Logging.Redact {
		if fault := checkPattern(r.Pattern); fault != "" {
			return fmt.Errorf("decode policy: pattern %q: %s", r.Name, fault)
		}
	}
	for _, m := range p.Models {
		if len(m.Endpoints) == 0 {
			return fmt.Errorf("decode policy: model %q has no endpoint", m.ID)
		}
		for _, e := range m.Endpoints {
			if _, ok := p.providers[e.Provider]; !ok {
				return fmt.Errorf("decode policy: model %q: no provider %q", m.ID, e.Provider)
			}
		}
	}
	for _, r := range p.Routes {
		if last := len(r.Select) - 1; last < 0 || len(r.Select[last].When) > 0 || !r.Select[last].IsTerminal() {
			return fmt.Errorf("decode policy: route %q: the last rule does not always apply", r.Name)
		}
		for i := range r.Select {
			if !r.Select[i].isValid() {
				return fmt.Errorf("decode policy: route %q: rule %s is invalid", r.Name, r.Label(i))
			}
		}
		for _, name := range r.ModelNames() {
			if _, _, ok := p.ResolveEndpoint(name); !ok {
				return fmt.Errorf("decode policy: route %q: no model %q", r.Name, name)
			}
		}
	}
	return p.validateExperiments()
}
