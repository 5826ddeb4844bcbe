package registry

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
	"github.com/signalbox/signalbox/services/proxy/internal/provider/keypool"
)

// Set holds the providers of one policy. It is immutable and safe for concurrent use.
// For a new policy, Build returns a new Set, and calls of the old Set continue.
type Set struct {
	entries map[string]entry
}

type entry struct {
	config  policy.Provider
	keys    []keypool.Key
	missing []string
	// pool is nil if the provider has no usable key.
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

// MissingKeysByProvider returns the names of the credentials that could not be resolved.
func (s *Set) MissingKeysByProvider() map[string][]string {
	all := map[string][]string{}
	for name, e := range s.entries {
		if len(e.missing) > 0 {
			all[name] = e.missing
		}
	}
	return all
}

// findUnchanged returns the entry of s with the same settings and credentials as e.
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

// unresolvedClient replaces the client of a provider without any usable credential.
// Calls to it fail, but the other providers of the policy keep working.
type unresolvedClient struct {
	name string
}

// CompleteChat always fails.
func (c unresolvedClient) CompleteChat(context.Context, provider.Call) (*provider.Response, error) {
	return nil, c.credentialError()
}

// Speaks reports true, so that requests of every protocol get the error of CallNative.
func (c unresolvedClient) Speaks(requestbody.Protocol) bool { return true }

// CallNative always fails.
func (c unresolvedClient) CallNative(context.Context, provider.Call) (*provider.Response, error) {
	return nil, c.credentialError()
}

// Embed always fails.
func (c unresolvedClient) Embed(context.Context, provider.Call) (*provider.Response, error) {
	return nil, c.credentialError()
}

func (c unresolvedClient) credentialError() error {
	return apperr.New(apperr.ProviderAuth, "provider "+c.name+" has no usable credential; check the references in its keys").With("provider", c.name)
}
