// Package storetest is the contract of a store of policy versions, as a suite
// that every implementation passes. It is for tests alone.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Run tests the stores that open makes; each must be empty.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	t.Run("empty", func(t *testing.T) { empty(t, open(t)) })
	t.Run("activate", func(t *testing.T) { activate(t, open(t)) })
	t.Run("back to an older one", func(t *testing.T) { back(t, open(t)) })
	t.Run("list", func(t *testing.T) { list(t, open(t)) })
}

func version(name string, minute int) engine.Version {
	at := time.Date(2026, 11, 1, 12, minute, 0, 123_000, time.UTC)
	return engine.Version{
		Name: name, Document: "# \u00fc\nversion: 1\n" + name, Compiled: []byte{0, 0xff, byte(minute)},
		Origin: engine.OriginPublish, Author: "op@example.com", Created: at, Activated: at,
	}
}

func empty(t *testing.T, s engine.Store) {
	_, ok, err := s.Active(context.Background())
	require.NoError(t, err)
	require.False(t, ok)
	all, err := s.List(context.Background(), 10)
	require.NoError(t, err)
	require.Empty(t, all)
}

func activate(t *testing.T, s engine.Store) {
	want := version("a", 1)
	require.NoError(t, s.Activate(context.Background(), want))
	got, ok, err := s.Active(context.Background())
	require.NoError(t, err)
	require.True(t, ok)
	want.Active = true
	require.Equal(t, want, got)
}

// An older version comes back as it was kept, with the reason of its return.
func back(t *testing.T, s engine.Store) {
	ctx := context.Background()
	require.NoError(t, s.Activate(ctx, version("a", 1)))
	require.NoError(t, s.Activate(ctx, version("b", 2)))
	again := version("a", 3)
	again.Origin, again.Author, again.Document = engine.OriginFile, "", "other text, same meaning"
	require.NoError(t, s.Activate(ctx, again))
	got, _, err := s.Active(ctx)
	require.NoError(t, err)
	require.Equal(t, "a", got.Name)
	require.Equal(t, engine.OriginFile, got.Origin)
	require.Equal(t, again.Activated, got.Activated)
	require.Equal(t, version("a", 1).Document, got.Document, "a kept version never changes")
	require.Equal(t, version("a", 1).Created, got.Created)
}

func list(t *testing.T, s engine.Store) {
	ctx := context.Background()
	for i, name := range []string{"a", "b", "c"} {
		require.NoError(t, s.Activate(ctx, version(name, i)))
	}
	require.NoError(t, s.Activate(ctx, version("b", 9)))
	all, err := s.List(ctx, 2)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "c", all[0].Name)
	require.False(t, all[0].Active)
	require.Equal(t, "b", all[1].Name)
	require.True(t, all[1].Active)
	require.Equal(t, version("b", 1).Document, all[1].Document)
}
