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

// Set is the providers of one policy. It never changes: a new policy makes a
// new Set, which the caller puts in its place while calls on the old one go
// on. It is safe for concurrent use.
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

// Chatter finds the provider by name, if it serves chats.
func (s *Set) Chatter(name string) (provider.Chatter, bool) {
	c, ok := s.entries[name].client.(provider.Chatter)
	return c, ok
}

// Embedder finds the provider by name, if it serves embeddings.
func (s *Set) Embedder(name string) (provider.Embedder, bool) {
	e, ok := s.entries[name].client.(provider.Embedder)
	return e, ok
}

// Missing names the credentials that could not be resolved, sorted, as
// env:NAME or file:NAME. They may be shown: neither a value nor a folder is in
// them.
func (s *Set) Missing() []string {
	var all []string
	for _, e := range s.entries {
		all = append(all, e.missing...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Key is a credential that calls are made with. All of it may be shown, as
// names of Missing may.
type Key struct {
	Provider, Name string
	// Parked is set while the provider refuses it.
	Parked bool
}

// Keys are the credentials that were found, sorted by provider.
func (s *Set) Keys() []Key {
	var all []Key
	for name, e := range s.entries {
		if e.pool == nil {
			continue
		}
		for i, parked := range e.pool.Parked() {
			all = append(all, Key{Provider: name, Name: e.keys[i].Name, Parked: parked})
		}
	}
	slices.SortStableFunc(all, func(a, b Key) int { return strings.Compare(a.Provider, b.Provider) })
	return all
}

// same finds the entry that was made from the very same settings.
func (s *Set) same(e entry) (entry, bool) {
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

// locked stands for a provider whose credential is not there: the rest of the
// policy works on, and a call to it says what is wrong.
type locked struct {
	name string
}

// Chat always fails.
func (l locked) Chat(context.Context, provider.Call) (*provider.Reply, error) { return nil, l.err() }

// Embed always fails.
func (l locked) Embed(context.Context, provider.Call) (*provider.Reply, error) { return nil, l.err() }

func (l locked) err() error {
	return apperr.New(apperr.ProviderAuth, "no credential is configured for provider "+l.name).With("provider", l.name)
}
