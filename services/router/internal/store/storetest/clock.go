package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// The last activation counts, even if the clock was set back before it.
func testClockSetBack(t *testing.T, s engine.Store) {
	ctx := context.Background()
	require.NoError(t, s.Activate(ctx, newVersion("a", 30), ""))
	require.NoError(t, s.Activate(ctx, newVersion("b", 10), "a"))
	got, _, err := s.Active(ctx)
	require.NoError(t, err)
	require.Equal(t, "b", got.Name)
	all, err := s.List(ctx, 10)
	require.NoError(t, err)
	for _, v := range all {
		require.Equal(t, v.Name == "b", v.Active, v.Name)
	}
	require.ErrorIs(t, s.Activate(ctx, newVersion("c", 20), "a"), engine.ErrConflict)
}
