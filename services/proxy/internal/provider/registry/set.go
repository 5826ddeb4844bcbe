package registry

import (
	"context"
	"reflect"
	"slices"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/proxy/internal/provider"
)

// Set is the providers of one policy. It never changes: a new policy makes a
// new Set, which the caller puts in its place while calls on the old one go
// on. It is safe for concurrent use.
type Set struct {
	entries map[string]entry
}

type entry struct {
	config     policy.Provider
	credential config.Secret
	missing    []string
	client     any
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

// same finds the entry that was made from the very same settings.
func (s *Set) same(e entry) (entry, bool) {
	if s == nil {
		return entry{}, false
	}
	old, ok := s.entries[e.config.Name]
	if !ok || old.credential != e.credential || !reflect.DeepEqual(old.config, e.config) {
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
