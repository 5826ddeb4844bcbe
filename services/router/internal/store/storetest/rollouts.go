package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

func cause(minute int, author, reason string) rollouts.Cause {
	return rollouts.Cause{At: time.Date(2026, 11, 2, 12, minute, 0, 5000, time.UTC), Author: author, Reason: reason}
}

// startRollout rolls out b over the active a.
func startRollout(t *testing.T, s engine.Store) rollouts.Rollout {
	t.Helper()
	require.NoError(t, s.Activate(context.Background(), newVersion("a", 1), ""))
	limits, err := rollouts.Guardrails{StepSeconds: 5, Manual: true}.Complete()
	require.NoError(t, err)
	r, e := rollouts.Start("r1", "a", "b", "try b", limits, cause(0, "op@example.com", ""))
	require.NoError(t, s.StartRollout(context.Background(), r, e, newVersion("b", 2)))
	got, ok, err := s.OpenRollout(context.Background())
	require.NoError(t, err)
	require.True(t, ok)
	r.Revision = 1
	require.Equal(t, r, got)
	return got
}

func testRollout(t *testing.T, s engine.Store) {
	ctx := context.Background()
	_, ok, err := s.OpenRollout(ctx)
	require.NoError(t, err)
	require.False(t, ok)
	r := startRollout(t, s)
	found, err := s.FindByPrefix(ctx, "b")
	require.NoError(t, err)
	require.Len(t, found, 1, "the candidate is stored, but not active")
	require.True(t, found[0].Activated.IsZero())
	require.False(t, found[0].Active)

	other, e := rollouts.Start("r2", "a", "c", "", r.Guardrails, cause(1, "", ""))
	require.ErrorIs(t, s.StartRollout(ctx, other, e, newVersion("c", 3)), rollouts.ErrOpen)
	found, err = s.FindByPrefix(ctx, "c")
	require.NoError(t, err)
	require.Empty(t, found)

	next, e := r.Advance(cause(2, "", ""))
	require.NoError(t, s.ChangeRollout(ctx, next, e, engine.Version{}))
	require.ErrorIs(t, s.ChangeRollout(ctx, next, e, engine.Version{}), rollouts.ErrChanged, "the revision is old")
	next.Revision = 2
	back, e := next.RollBack(cause(3, "", "too many errors"))
	require.NoError(t, s.ChangeRollout(ctx, back, e, engine.Version{}))
	back.Revision = 3
	require.ErrorIs(t, s.ChangeRollout(ctx, back, e, engine.Version{}), rollouts.ErrChanged, "it has ended")
	_, ok, err = s.OpenRollout(ctx)
	require.NoError(t, err)
	require.False(t, ok)

	all, err := s.Rollouts(ctx, 10)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, []string{"roll_back", "advance", "start"}, actions(all[0]))
	require.Equal(t, []int32{0, 1000, 100}, []int32{all[0].Events[0].Share, all[0].Events[1].Share, all[0].Events[2].Share})
	require.Equal(t, "too many errors", all[0].Events[0].Reason)
	back.Events, all[0].Events = nil, nil
	require.Equal(t, back, all[0])
	again, e := rollouts.Start("r3", "a", "b", "", r.Guardrails, cause(4, "", ""))
	require.NoError(t, s.StartRollout(ctx, again, e, newVersion("b", 2)), "after the end of one, another may start")
}

func actions(r rollouts.Rollout) (all []string) {
	for _, e := range r.Events {
		all = append(all, e.Action)
	}
	return all
}

func testCompleteRollout(t *testing.T, s engine.Store) {
	ctx := context.Background()
	r := startRollout(t, s)
	r.Share = 5000
	done, e := r.Advance(cause(9, "", ""))
	v := newVersion("b", 9)
	v.Origin = engine.OriginRollout
	require.NoError(t, s.ChangeRollout(ctx, done, e, v))
	active, _, err := s.Active(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"b", engine.OriginRollout}, []string{active.Name, active.Origin})
	_, ok, err := s.OpenRollout(ctx)
	require.NoError(t, err)
	require.False(t, ok)
}

// A version that becomes active ends the rollout.
func testSupersededRollout(t *testing.T, s engine.Store) {
	ctx := context.Background()
	r := startRollout(t, s)
	require.NoError(t, s.Activate(ctx, newVersion("c", 5), ""))
	all, err := s.Rollouts(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, rollouts.Superseded, all[0].State)
	require.Contains(t, all[0].Reason, "version c")
	next, e := r.Advance(cause(6, "", ""))
	require.ErrorIs(t, s.ChangeRollout(ctx, next, e, engine.Version{}), rollouts.ErrChanged)
	late, e := rollouts.Start("r2", "a", "b", "", r.Guardrails, cause(7, "", ""))
	require.ErrorIs(t, s.StartRollout(ctx, late, e, newVersion("b", 2)), engine.ErrConflict, "a is not active any more")
}

// Of many controllers that act on the same revision, one succeeds.
func testConcurrentRolloutChanges(t *testing.T, s engine.Store) {
	r := startRollout(t, s)
	const many = 8
	results := make(chan error, many)
	for i := range many {
		go func() {
			next, e := r.Advance(cause(i, "", ""))
			results <- s.ChangeRollout(context.Background(), next, e, engine.Version{})
		}()
	}
	won := 0
	for range many {
		if err := <-results; err == nil {
			won++
		} else {
			require.ErrorIs(t, err, rollouts.ErrChanged)
		}
	}
	require.Equal(t, 1, won)
	all, err := s.Rollouts(context.Background(), 1)
	require.NoError(t, err)
	require.EqualValues(t, 1000, all[0].Share)
	require.Len(t, all[0].Events, 2)
}
