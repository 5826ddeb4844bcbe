package registry

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// Set holds the providers of one policy. It is immutable: Build returns a new Set
// for a new policy, and the caller replaces the old one while its calls continue.
// It is safe for concurrent use.
type Set struct {
	entries map[string]entry
}

type entry struct {
	config  policy.Provider
	keys    []keypool.Key
	missing []string
	// pool is nil without keys.
	pool   *keypool.Pool
	client any
}

// ChatCompleter returns the named provider if it serves chat completions.
func (s *Set) ChatCompleter(name string) (provider.ChatCompleter, bool) {
	c, ok := s.entries[name].client.(provider.ChatCompleter)
	return c, ok
}

// Embedder returns the named provider if it serves embeddings.
func (s *Set) Embedder(name string) (provider.Embedder, bool) {
	e, ok := s.entries[name].client.(provider.Embedder)
	return e, ok
}

// MissingKeys returns the sorted names of the credentials that could not be
// resolved, as env:NAME or file:NAME. They are safe to show: they contain neither
// values nor directories.
func (s *Set) MissingKeys() []string {
	var all []string
	for _, e := range s.entries {
		all = append(all, e.missing...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Key describes a resolved credential. It is safe to show: it contains neither the
// value nor the directory of the reference.
type Key struct {
	Provider, Name string
	// Suspended is set while the provider rejects the key.
	Suspended bool
}

// Keys returns the resolved credentials, sorted by provider.
func (s *Set) Keys() []Key {
	var all []Key
	for name, e := range s.entries {
		if e.pool == nil {
			continue
		}
		for i, suspended := range e.pool.Suspended() {
			all = append(all, Key{Provider: name, Name: e.keys[i].Name, Suspended: suspended})
		}
	}
	slices.SortStableFunc(all, func(a, b Key) int { return strings.Compare(a.Provider, b.Provider) })
	return all
}

// findUnchanged returns the entry with the same settings and credentials as e.
func (s *Set) findUnchanged(e entry) (entry, bool) {
	if s == nil {
		return entry{}, false
	}
	old, ok := s.entries[e.config.Name]
	if !ok || !slices.Equal(old.keys, e.keys) || !reflect.DeepEqual(old.config, e.config) {
		return entry{}, false
	}
	old.missing = e.missing
	return old, true
}

// unresolvedClient replaces the client of a provider whose credentials are missing.
// The other providers of the policy keep working; calls to this one fail.
type unresolvedClient struct {
	name string
}

// CompleteChat always fails.
func (l unresolvedClient) CompleteChat(context.Context, provider.Call) (*provider.Response, error) {
	return nil, l.credentialError()
}

// Embed always fails.
func (l unresolvedClient) Embed(context.Context, provider.Call) (*provider.Response, error) {
	return nil, l.credentialError()
}

func (l unresolvedClient) credentialError() error {
	return apperr.New(apperr.ProviderAuth, "provider "+l.name+" has no usable credential; check the references in its keys").With("provider", l.name)
}
