package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

func newDrain(provider, model, reason string) engine.Drain {
	return engine.Drain{
		Drain: decide.Drain{Provider: provider, Model: model}, Reason: reason, Author: "op",
		Since: time.Date(2026, 11, 1, 12, 0, 0, 123_000, time.UTC),
	}
}

func testDrains(t *testing.T, s engine.Store) {
	ctx := context.Background()
	all, first, err := s.Drains(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
	require.NoError(t, s.Drain(ctx, newDrain("openai", "", "bills")))
	require.NoError(t, s.Drain(ctx, newDrain("", "small", "slow")))
	require.NoError(t, s.Drain(ctx, newDrain("openai", "", "bills again")))
	all, drained, err := s.Drains(ctx)
	require.NoError(t, err)
	require.Equal(t, []engine.Drain{newDrain("", "small", "slow"), newDrain("openai", "", "bills again")}, all)
	require.Greater(t, drained, first)

	found, err := s.Resume(ctx, newDrain("openai", "small", ""))
	require.NoError(t, err)
	require.False(t, found, "another drain than those that exist")
	latest, err := s.LatestDrainChange(ctx)
	require.NoError(t, err)
	require.Equal(t, drained, latest)
	found, err = s.Resume(ctx, newDrain("openai", "", "paid"))
	require.NoError(t, err)
	require.True(t, found)
	all, resumed, err := s.Drains(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Greater(t, resumed, drained)
}
