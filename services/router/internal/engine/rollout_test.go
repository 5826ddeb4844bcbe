package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

// twoRouters returns two routers on one store with oneModel active, and a rollout of
// otherModel that the first one started.
func twoRouters(t *testing.T) (a, b *engine.Engine, r rollouts.Rollout) {
	s := openStore(t)
	a, err := open(t, s, "")
	require.NoError(t, err)
	_, err = a.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	b, err = open(t, s, "")
	require.NoError(t, err)
	r, err = a.StartRollout(t.Context(), engine.RolloutDraft{Draft: engine.Draft{Document: otherModel, Author: "op", Note: "larger"}})
	require.NoError(t, err)
	return a, b, r
}

func modelOf(t *testing.T, e *engine.Engine, version string) (string, string) {
	t.Helper()
	q := decide.Question{Model: "auto", Kind: catalog.Chat}
	d, err := e.DecideConversationInto(&engine.Scratch{}, &q, engine.Chosen{Version: version})
	require.NoError(t, err)
	return d.Plan[0].Model, d.PolicyVersion
}

func TestEveryRouterDecidesWithTheVersionThatTheProxyChose(t *testing.T) {
	a, b, r := twoRouters(t)
	require.Equal(t, []any{rollouts.Running, int32(100)}, []any{r.State, r.Share})
	b.Poll(t.Context())
	for _, e := range []*engine.Engine{a, b} {
		model, version := modelOf(t, e, r.Candidate)
		require.Equal(t, []string{"sandbox-large", r.Candidate}, []string{model, version})
		model, version = modelOf(t, e, r.Stable)
		require.Equal(t, []string{"sandbox-small", r.Stable}, []string{model, version})
		model, _ = modelOf(t, e, "unknown")
		require.Equal(t, "sandbox-small", model)
	}
	_, changed := b.Active()
	_, err := a.ChangeRollout(t.Context(), engine.RolloutChange{Action: rollouts.ActionRollBack, Reason: "errors"})
	require.NoError(t, err)
	b.Poll(t.Context())
	<-changed
	for _, e := range []*engine.Engine{a, b} {
		model, version := modelOf(t, e, r.Candidate)
		require.Equal(t, []string{"sandbox-small", r.Stable}, []string{model, version}, "the candidate is gone")
	}
}

func TestARolloutSurvivesARestart(t *testing.T) {
	s := openStore(t)
	a, err := open(t, s, "")
	require.NoError(t, err)
	r, err := a.StartRollout(t.Context(), engine.RolloutDraft{Draft: engine.Draft{Document: otherModel}})
	require.NoError(t, err)
	again, err := open(t, s, "")
	found := active(t, again, err)
	require.Equal(t, r.ID, found.Canary.ID)
	model, _ := modelOf(t, again, r.Candidate)
	require.Equal(t, "sandbox-large", model)
}

func TestARolloutEndsWithTheCandidateActive(t *testing.T) {
	a, b, r := twoRouters(t)
	for _, want := range []int32{1000, 5000, 10_000} {
		var err error
		r, err = a.ChangeRollout(t.Context(), engine.RolloutChange{ID: r.ID, Revision: r.Revision, Action: rollouts.ActionAdvance})
		require.NoError(t, err)
		require.Equal(t, want, r.Share)
	}
	require.Equal(t, rollouts.Completed, r.State)
	b.Poll(t.Context())
	for _, e := range []*engine.Engine{a, b} {
		found := active(t, e, nil)
		require.Equal(t, r.Candidate, found.Policy.Version())
		require.Nil(t, found.Canary)
	}
	_, err := a.ChangeRollout(t.Context(), engine.RolloutChange{Action: rollouts.ActionRollBack})
	require.True(t, apperr.Is(err, apperr.NotFound), err)
}

func TestPublishingEndsARollout(t *testing.T) {
	a, b, r := twoRouters(t)
	b.Poll(t.Context())
	third := strings.ReplaceAll(otherModel, "large", "medium")
	_, err := b.Publish(t.Context(), engine.Draft{Document: third})
	require.NoError(t, err)
	a.Poll(t.Context())
	require.Nil(t, active(t, a, nil).Canary)
	require.Nil(t, active(t, b, nil).Canary)
	all, err := a.Rollouts(t.Context(), 5)
	require.NoError(t, err)
	require.Equal(t, []string{r.ID, rollouts.Superseded}, []string{all[0].ID, all[0].State})
}

func TestWhatCannotBeRolledOut(t *testing.T) {
	a, _, r := twoRouters(t)
	start := func(d engine.RolloutDraft) error {
		_, err := a.StartRollout(t.Context(), d)
		return err
	}
	change := func(c engine.RolloutChange) error {
		_, err := a.ChangeRollout(t.Context(), c)
		return err
	}
	for name, one := range map[string]struct {
		code apperr.Code
		err  error
	}{
		"open":           {apperr.PolicyConflict, start(engine.RolloutDraft{Version: r.Candidate})},
		"active":         {apperr.InvalidRequest, start(engine.RolloutDraft{Version: r.Stable})},
		"nothing":        {apperr.InvalidRequest, start(engine.RolloutDraft{})},
		"unknown":        {apperr.NotFound, start(engine.RolloutDraft{Version: "ffffffff"})},
		"invalid":        {apperr.PolicyInvalid, start(engine.RolloutDraft{Draft: engine.Draft{Document: "version: 2"}})},
		"guardrail":      {apperr.InvalidRequest, start(engine.RolloutDraft{Version: r.Candidate, Guardrails: rollouts.Guardrails{ErrorPoints: 501}})},
		"another":        {apperr.PolicyConflict, start(engine.RolloutDraft{Version: r.Candidate, Draft: engine.Draft{ExpectedVersion: "other"}})},
		"old revision":   {apperr.PolicyConflict, change(engine.RolloutChange{Revision: r.Revision + 1, Action: rollouts.ActionHalt})},
		"other rollout":  {apperr.PolicyConflict, change(engine.RolloutChange{ID: "other", Action: rollouts.ActionHalt})},
		"unknown action": {apperr.InvalidRequest, change(engine.RolloutChange{Action: "start"})},
	} {
		require.True(t, apperr.Is(one.err, one.code), "%s: %v", name, one.err)
	}
	fromFile, err := open(t, openStore(t), oneModel)
	require.NoError(t, err)
	_, err = fromFile.StartRollout(t.Context(), engine.RolloutDraft{Draft: engine.Draft{Document: otherModel}})
	require.True(t, apperr.Is(err, apperr.PolicyReadOnly), err)
}
