package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

// RunEvidence tests a store of evidence. open must return an empty store each time.
func RunEvidence(t *testing.T, open func(t *testing.T) evidence.Store) {
	t.Run("outcomes once", func(t *testing.T) { testOutcomesOnce(t, open(t)) })
	t.Run("failed step", func(t *testing.T) { testFailedStep(t, open(t)) })
	t.Run("steps at once", func(t *testing.T) { testStepsAtOnce(t, open(t)) })
	t.Run("versions", func(t *testing.T) { testVersions(t, open(t)) })
	t.Run("pin", func(t *testing.T) { testPin(t, open(t)) })
	t.Run("forget", func(t *testing.T) { testForget(t, open(t)) })
}

func newOutcome(account, id string) evidence.Outcome {
	return evidence.Outcome{
		ID: id, Account: account, Source: "feedback", Model: "m", Topic: "law", Predicted: 700, Observed: 1000, Weight: 500,
		Time: time.Date(2026, 11, 1, 12, 0, 0, 123_000, time.UTC),
	}
}

// learnAll runs one step that keeps its outcomes as they come and stores a state.
func learnAll(t *testing.T, s evidence.Store, limit int, result evidence.StepResult) (state string, fresh []evidence.Outcome) {
	err := s.Learn(context.Background(), limit, func(stored []byte, all []evidence.Outcome) (evidence.StepResult, error) {
		state, fresh = string(stored), all
		return result, nil
	})
	require.NoError(t, err)
	return state, fresh
}

func testOutcomesOnce(t *testing.T, s evidence.Store) {
	ctx := context.Background()
	a, b, c := newOutcome("x", "1"), newOutcome("x", "2"), newOutcome("y", "1")
	n, err := s.AddOutcomes(ctx, []evidence.Outcome{a, b, a})
	require.NoError(t, err)
	require.Equal(t, int64(2), n)
	n, err = s.AddOutcomes(ctx, []evidence.Outcome{b, c})
	require.NoError(t, err)
	require.Equal(t, int64(1), n, "ids belong to an account")

	state, fresh := learnAll(t, s, 2, evidence.StepResult{State: []byte("first")})
	require.Empty(t, state)
	require.Equal(t, []evidence.Outcome{a, b}, fresh)
	state, fresh = learnAll(t, s, 2, evidence.StepResult{State: []byte("second")})
	require.Equal(t, "first", state)
	require.Equal(t, []evidence.Outcome{c}, fresh)
	_, err = s.AddOutcomes(ctx, []evidence.Outcome{a, b, c})
	require.NoError(t, err)
	state, fresh = learnAll(t, s, 2, evidence.StepResult{State: []byte("third")})
	require.Equal(t, "second", state)
	require.Empty(t, fresh, "known ids stay known after they were learned")
}

// A step that fails leaves state and outcomes as they were.
func testFailedStep(t *testing.T, s evidence.Store) {
	ctx, fault := context.Background(), errors.New("fault")
	_, err := s.AddOutcomes(ctx, []evidence.Outcome{newOutcome("x", "1")})
	require.NoError(t, err)
	err = s.Learn(ctx, 10, func([]byte, []evidence.Outcome) (evidence.StepResult, error) {
		return evidence.StepResult{State: []byte("lost")}, fault
	})
	require.ErrorIs(t, err, fault)
	state, fresh := learnAll(t, s, 10, evidence.StepResult{State: []byte("kept")})
	require.Empty(t, state)
	require.Len(t, fresh, 1)
}

// Steps of several routers see the results of each other, and each outcome once.
func testStepsAtOnce(t *testing.T, s evidence.Store) {
	ctx := context.Background()
	var all []evidence.Outcome
	for i := range 40 {
		all = append(all, newOutcome("x", string(rune('A'+i))))
	}
	_, err := s.AddOutcomes(ctx, all)
	require.NoError(t, err)
	var routers sync.WaitGroup
	failures := make(chan error, 8)
	for range 8 {
		routers.Go(func() {
			failures <- s.Learn(ctx, 5, func(stored []byte, fresh []evidence.Outcome) (evidence.StepResult, error) {
				for _, o := range fresh {
					stored = append(stored, o.ID...)
				}
				return evidence.StepResult{State: stored}, nil
			})
		})
	}
	routers.Wait()
	for range 8 {
		require.NoError(t, <-failures)
	}
	state, fresh := learnAll(t, s, 5, evidence.StepResult{State: []byte("end")})
	require.Empty(t, fresh)
	require.Len(t, state, 40)
	for _, o := range all {
		require.Contains(t, state, o.ID)
	}
}

func newCorrections(name string, minute int) *evidence.Version {
	return &evidence.Version{Name: name, Table: []byte("table " + name), Created: time.Date(2026, 11, 1, 12, minute, 0, 123_000, time.UTC)}
}

func testVersions(t *testing.T, s evidence.Store) {
	ctx := context.Background()
	selected, err := s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, evidence.Selection{Version: evidence.Shipped}, selected)
	a, b := newCorrections("a", 1), newCorrections("b", 2)
	learnAll(t, s, 1, evidence.StepResult{State: []byte("1"), New: a})
	learnAll(t, s, 1, evidence.StepResult{State: []byte("2"), New: b})
	all, err := s.ListCorrections(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []evidence.Version{*b, *a}, all)
	before, err := s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, "b", before.Version)

	learnAll(t, s, 1, evidence.StepResult{State: []byte("3"), New: newCorrections("a", 3)})
	selected, err = s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, "a", selected.Version, "the same corrections can come back")
	require.Greater(t, selected.Number, before.Number)
	got, ok, err := s.Corrections(ctx, "a")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, *a, got, "a version never changes")
	_, ok, err = s.Corrections(ctx, "none")
	require.NoError(t, err)
	require.False(t, ok)

	learnAll(t, s, 1, evidence.StepResult{State: []byte("4"), New: newCorrections(evidence.Shipped, 4)})
	selected, err = s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, evidence.Shipped, selected.Version)
	all, err = s.ListCorrections(ctx, 10)
	require.NoError(t, err)
	require.Len(t, all, 2, "the shipped weights need no row")
}

func testPin(t *testing.T, s evidence.Store) {
	ctx := context.Background()
	learnAll(t, s, 1, evidence.StepResult{State: []byte("1"), New: newCorrections("a", 1)})
	require.NoError(t, s.Pin(ctx, evidence.Shipped, "op@example.com"))
	learnAll(t, s, 1, evidence.StepResult{State: []byte("2"), New: newCorrections("b", 2)})
	selected, err := s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, evidence.Shipped, selected.Version)
	require.True(t, selected.Pinned)
	learnAll(t, s, 1, evidence.StepResult{State: []byte("3"), New: newCorrections("b", 3), Unpin: true})
	selected, err = s.Selected(ctx)
	require.NoError(t, err)
	require.Equal(t, "b", selected.Version)
	require.False(t, selected.Pinned)
}

// Only outcomes that were learned are deleted.
func testForget(t *testing.T, s evidence.Store) {
	ctx := context.Background()
	_, err := s.AddOutcomes(ctx, []evidence.Outcome{newOutcome("x", "1"), newOutcome("x", "2")})
	require.NoError(t, err)
	learnAll(t, s, 1, evidence.StepResult{State: []byte("1")})
	require.NoError(t, s.Forget(ctx, time.Now().Add(-time.Hour)))
	n, err := s.AddOutcomes(ctx, []evidence.Outcome{newOutcome("x", "1")})
	require.NoError(t, err)
	require.Zero(t, n, "it is too young")
	require.NoError(t, s.Forget(ctx, time.Now().Add(time.Hour)))
	n, err = s.AddOutcomes(ctx, []evidence.Outcome{newOutcome("x", "1"), newOutcome("x", "2")})
	require.NoError(t, err)
	require.Equal(t, int64(1), n, "the outcome that was not learned is kept")
}
