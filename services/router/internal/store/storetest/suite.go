// Package storetest is the contract suite that every store of policy versions must
// pass. Only tests use it.
package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Run tests a store. open must return an empty store each time.
func Run(t *testing.T, open func(t *testing.T) engine.Store) {
	t.Run("empty", func(t *testing.T) { testEmpty(t, open(t)) })
	t.Run("activate", func(t *testing.T) { testActivate(t, open(t)) })
	t.Run("back to an older one", func(t *testing.T) { testReactivate(t, open(t)) })
	t.Run("clock set back", func(t *testing.T) { testClockSetBack(t, open(t)) })
	t.Run("list", func(t *testing.T) { testList(t, open(t)) })
	t.Run("named", func(t *testing.T) { testFindByPrefix(t, open(t)) })
	t.Run("over another", func(t *testing.T) { testExpectedVersion(t, open(t)) })
	t.Run("over another at once", func(t *testing.T) { testConcurrentActivation(t, open(t)) })
	t.Run("drains", func(t *testing.T) { testDrains(t, open(t)) })
	t.Run("rollout", func(t *testing.T) { testRollout(t, open(t)) })
	t.Run("rollout completed", func(t *testing.T) { testCompleteRollout(t, open(t)) })
	t.Run("rollout superseded", func(t *testing.T) { testSupersededRollout(t, open(t)) })
	t.Run("rollout changed at once", func(t *testing.T) { testConcurrentRolloutChanges(t, open(t)) })
}

func newVersion(name string, minute int) engine.Version {
	at := time.Date(2026, 11, 1, 12, minute, 0, 123_000, time.UTC)
	return engine.Version{
		Name: name, Document: "# \u00fc\nversion: 1\n" + name, Compiled: []byte{0, 0xff, byte(minute)},
		Origin: engine.OriginPublish, Author: "op@example.com", Note: "why " + name, Created: at, Activated: at,
	}
}

func testEmpty(t *testing.T, s engine.Store) {
	_, ok, err := s.Active(context.Background())
	require.NoError(t, err)
	require.False(t, ok)
	all, err := s.List(context.Background(), 10)
	require.NoError(t, err)
	require.Empty(t, all)
	n, err := s.LatestActivation(context.Background())
	require.NoError(t, err)
	require.Zero(t, n)
}

func testActivate(t *testing.T, s engine.Store) {
	want := newVersion("a", 1)
	require.NoError(t, s.Activate(context.Background(), want, ""))
	got, ok, err := s.Active(context.Background())
	require.NoError(t, err)
	require.True(t, ok)
	want.Active = true
	require.Equal(t, want, got)
}

// testReactivate activates an older version again. The version keeps its compiled
// form and gets the reason and the document of the new activation.
func testReactivate(t *testing.T, s engine.Store) {
	ctx := context.Background()
	require.NoError(t, s.Activate(ctx, newVersion("a", 1), ""))
	require.NoError(t, s.Activate(ctx, newVersion("b", 2), ""))
	again := newVersion("a", 3)
	again.Origin, again.Author, again.Note, again.Document = engine.OriginFile, "", "", "other text, same meaning"
	again.Compiled = []byte("never read")
	require.NoError(t, s.Activate(ctx, again, ""))
	got, _, err := s.Active(ctx)
	require.NoError(t, err)
	require.Equal(t, "a", got.Name)
	require.Equal(t, engine.OriginFile, got.Origin)
	require.Equal(t, again.Activated, got.Activated)
	require.Empty(t, got.Author)
	require.Empty(t, got.Note)
	require.Equal(t, "other text, same meaning", got.Document)
	require.Equal(t, newVersion("a", 1).Compiled, got.Compiled, "a kept version never changes")
	require.Equal(t, newVersion("a", 1).Created, got.Created)
	// And with its first document again.
	require.NoError(t, s.Activate(ctx, newVersion("a", 4), ""))
	got, _, err = s.Active(ctx)
	require.NoError(t, err)
	require.Equal(t, newVersion("a", 1).Document, got.Document)
}

func testList(t *testing.T, s engine.Store) {
	ctx := context.Background()
	for i, name := range []string{"a", "b", "c"} {
		require.NoError(t, s.Activate(ctx, newVersion(name, i), ""))
	}
	require.NoError(t, s.Activate(ctx, newVersion("b", 9), ""))
	all, err := s.List(ctx, 2)
	require.NoError(t, err)
	c, b := newVersion("c", 2), newVersion("b", 1)
	b.Active, b.Activated = true, newVersion("b", 9).Activated
	c.Document, c.Compiled, b.Document, b.Compiled = "", []byte{}, "", []byte{}
	require.Equal(t, []engine.Version{c, b}, all)
}

func testFindByPrefix(t *testing.T, s engine.Store) {
	ctx := context.Background()
	for i, name := range []string{"ab12", "ab34", "cd56"} {
		require.NoError(t, s.Activate(ctx, newVersion(name, i), ""))
	}
	again := newVersion("ab12", 7)
	again.Document, again.Note = "written anew", "another note"
	require.NoError(t, s.Activate(ctx, again, ""))
	want := newVersion("ab12", 0)
	want.Document, want.Active, want.Activated = "written anew", true, again.Activated
	found, err := s.FindByPrefix(ctx, "ab1")
	require.NoError(t, err)
	require.Equal(t, []engine.Version{want}, found)
	found, err = s.FindByPrefix(ctx, "cd56")
	require.NoError(t, err)
	require.Equal(t, []engine.Version{newVersion("cd56", 2)}, found)
	found, err = s.FindByPrefix(ctx, "ab")
	require.NoError(t, err)
	require.Len(t, found, 2)
	for _, none := range []string{"12", "%", "ab1_", "cd567"} {
		found, err = s.FindByPrefix(ctx, none)
		require.NoError(t, err)
		require.Empty(t, found, none)
	}
}

func testExpectedVersion(t *testing.T, s engine.Store) {
	ctx := context.Background()
	require.ErrorIs(t, s.Activate(ctx, newVersion("a", 1), "none"), engine.ErrConflict)
	require.NoError(t, s.Activate(ctx, newVersion("a", 1), ""))
	first, err := s.LatestActivation(ctx)
	require.NoError(t, err)
	require.NoError(t, s.Activate(ctx, newVersion("b", 2), "a"))
	second, err := s.LatestActivation(ctx)
	require.NoError(t, err)
	require.Greater(t, second, first)
	require.ErrorIs(t, s.Activate(ctx, newVersion("c", 3), "a"), engine.ErrConflict)
	after, err := s.LatestActivation(ctx)
	require.NoError(t, err)
	require.Equal(t, second, after)
	found, err := s.FindByPrefix(ctx, "c")
	require.NoError(t, err)
	require.Empty(t, found, "what did not come into force is not kept")
}

// Of many concurrent activations that expect the same version, one succeeds.
func testConcurrentActivation(t *testing.T, s engine.Store) {
	ctx := context.Background()
	require.NoError(t, s.Activate(ctx, newVersion("first", 0), ""))
	const many = 8
	results := make(chan error, many)
	for i := range many {
		go func() { results <- s.Activate(ctx, newVersion(string(rune('a'+i)), i+1), "first") }()
	}
	won := 0
	for range many {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, engine.ErrConflict)
		}
	}
	require.Equal(t, 1, won)
}
