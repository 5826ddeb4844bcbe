package engine_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/policydiff"
	"github.com/signalbox/signalbox/services/router/internal/policytests"
)

const otherModel = "version: 1\nmodels: {sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}\n"

func TestPublishAndRollBack(t *testing.T) {
	ctx := context.Background()
	s := openStore(t)
	e, err := open(t, s, "")
	first := active(t, e, err).Policy.Version()
	_, changed := e.Active()
	v, err := e.Publish(ctx, engine.Draft{Document: oneModel, Author: "ann@example.com", Note: "smaller", ExpectedVersion: first})
	require.NoError(t, err)
	<-changed
	now, _ := e.Active()
	require.Equal(t, v.Name, now.Policy.Version())
	stored, n := kept(t, s)
	require.Equal(t, v, stored)
	require.Equal(t, 2, n)
	require.Equal(t, []string{oneModel, engine.OriginPublish, "ann@example.com", "smaller"}, []string{v.Document, v.Origin, v.Author, v.Note})

	again, err := open(t, s, "", "OPENAI_API_KEY")
	require.Equal(t, now.Policy.Version(), active(t, again, err).Policy.Version(), "it outlives a restart")

	back, err := e.Rollback(ctx, first[:12], "bob@example.com", "too small")
	require.NoError(t, err)
	require.Equal(t, []string{first, engine.OriginRollback, "bob@example.com", "too small"}, []string{back.Name, back.Origin, back.Author, back.Note})
	now, _ = e.Active()
	require.Equal(t, first, now.Policy.Version())
	_, n = kept(t, s)
	require.Equal(t, 2, n, "nothing new was made")
	again, err = open(t, s, "", "OPENAI_API_KEY")
	require.Equal(t, first, active(t, again, err).Policy.Version(), "a default that was chosen stays")
}

func TestPublishRefusals(t *testing.T) {
	ctx := context.Background()
	s := openStore(t)
	e, err := open(t, s, "")
	before := active(t, e, err)
	failing := func(document []byte, p *policy.Policy) policytests.Result {
		return policytests.Result{Ran: 1, Failed: policy.Problems{{Path: "routes.auto.tests[0]", Line: 3, Column: 4, Code: policytests.CodeFailed}}}
	}
	strict, err := engine.Open(ctx, engine.Options{Store: s, Catalog: loadCatalog(t), Log: slog.New(slog.DiscardHandler), RunTests: failing,
		ReadFile: nil, HasEnv: func(string) bool { return false }})
	var problems policy.Problems
	require.ErrorAs(t, err, &problems)
	require.Nil(t, strict)
	for want, d := range map[apperr.Code]engine.Draft{
		apperr.PolicyInvalid:  {Document: "version: 1\nmodles: {}"},
		apperr.PolicyConflict: {Document: oneModel, ExpectedVersion: "somebody else's"},
		apperr.InvalidRequest: {Document: oneModel, Note: strings.Repeat("x", 1001)},
	} {
		_, err := e.Publish(ctx, d)
		require.Equal(t, want, apperr.CodeOf(err))
	}
	for _, name := range []string{"", "0", "nobody"} {
		_, err := e.Rollback(ctx, name+"zz", "", "")
		require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	}
	_, err = e.Rollback(ctx, "", "", "")
	require.Equal(t, apperr.InvalidRequest, apperr.CodeOf(err))
	after, _ := e.Active()
	require.Equal(t, before, after)
	_, n := kept(t, s)
	require.Equal(t, 1, n)
}

// A document that fails its own tests is rejected before anything is stored.
func TestFailingTestsArePublishedNever(t *testing.T) {
	s := openStore(t)
	_, err := open(t, s, "")
	require.NoError(t, err)
	fails := func(document []byte, p *policy.Policy) (r policytests.Result) {
		if strings.Contains(string(document), "sandbox-large: {}}") {
			r.Failed = policy.Problems{{Path: "routes.auto.tests[0]", Line: 3, Column: 4, Code: policytests.CodeFailed, Message: "want small"}}
		}
		return r
	}
	e, err := engine.Open(t.Context(), engine.Options{Store: s, Catalog: loadCatalog(t), Log: slog.New(slog.DiscardHandler), RunTests: fails,
		HasEnv: func(string) bool { return false }})
	require.NoError(t, err)
	_, err = e.Publish(t.Context(), engine.Draft{Document: otherModel})
	require.Equal(t, apperr.PolicyTestFailed, apperr.CodeOf(err))
	var problems policy.Problems
	require.ErrorAs(t, err, &problems)
	require.Equal(t, 3, problems[0].Line)
	_, n := kept(t, s)
	require.Equal(t, 1, n)
	_, err = e.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
}

func TestAFileRulesAlone(t *testing.T) {
	e, err := open(t, openStore(t), oneModel)
	a := active(t, e, err)
	require.True(t, e.ReadOnly())
	_, err = e.Publish(t.Context(), engine.Draft{Document: otherModel})
	require.Equal(t, apperr.PolicyReadOnly, apperr.CodeOf(err))
	require.ErrorContains(t, err, "--config")
	_, err = e.Rollback(t.Context(), a.Policy.Version(), "", "")
	require.Equal(t, apperr.PolicyReadOnly, apperr.CodeOf(err))
}

func TestTheSameMeaningWrittenAnewKeepsBothItsNameAndTheText(t *testing.T) {
	s := openStore(t)
	e, err := open(t, s, "")
	require.NoError(t, err)
	first, err := e.Publish(t.Context(), engine.Draft{Document: oneModel})
	require.NoError(t, err)
	second, err := e.Publish(t.Context(), engine.Draft{Document: "# why\n" + oneModel})
	require.NoError(t, err)
	require.Equal(t, first.Name, second.Name)
	got, err := e.Get(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, "# why\n"+oneModel, got.Document)
	before, err := s.LatestActivation(t.Context())
	require.NoError(t, err)
	same, err := e.Publish(t.Context(), engine.Draft{Document: "# why\n" + oneModel, Note: "again"})
	require.NoError(t, err)
	require.Equal(t, got, same)
	after, err := s.LatestActivation(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after, "what is in force already is not put in force again")
}

// A version of an older build is compiled again when it is rolled back to.
func TestRollbackToWhatThisBuildCannotRead(t *testing.T) {
	s := openStore(t)
	e, err := open(t, s, "")
	now := active(t, e, err)
	at := time.Now().UTC().Truncate(time.Microsecond)
	require.NoError(t, s.Activate(t.Context(), engine.Version{Name: "0ld", Document: oneModel, Compiled: []byte("{}"), Created: at, Activated: at}, ""))
	require.NoError(t, s.Activate(t.Context(), engine.Version{Name: now.Policy.Version(), Compiled: now.Policy.Canonical(), Activated: at}, ""))
	v, err := e.Rollback(t.Context(), "0ld", "", "")
	require.NoError(t, err)
	require.NotEqual(t, "0ld", v.Name)
	a, _ := e.Active()
	require.Equal(t, v.Name, a.Policy.Version())
	require.Len(t, a.Policy.Models, 1)
}

func TestDiffOfVersionsAndDrafts(t *testing.T) {
	e, err := open(t, openStore(t), oneModel)
	a := active(t, e, err)
	c, err := e.Diff(t.Context(), engine.Side{}, engine.Side{Document: otherModel})
	require.NoError(t, err)
	require.Equal(t, a.Policy.Version(), c.From)
	require.NotEqual(t, c.From, c.To)
	require.True(t, slices.ContainsFunc(c.Changes, func(d policydiff.Change) bool {
		return strings.HasPrefix(d.Path, "routes.auto.select[0].") && strings.Contains(d.Old, "sandbox-small") && strings.Contains(d.New, "sandbox-large")
	}), c.Changes)
	require.Contains(t, c.Unified, "\n-routes: {auto: {select: [{target: sandbox-small}]}}\n")
	c, err = e.Diff(t.Context(), engine.Side{Version: a.Policy.Version()[:8]}, engine.Side{Document: "# more\n" + oneModel})
	require.NoError(t, err)
	require.Empty(t, c.Changes)
	require.NotEmpty(t, c.Unified)
	_, err = e.Diff(t.Context(), engine.Side{Version: "nobody"}, engine.Side{})
	require.Equal(t, apperr.NotFound, apperr.CodeOf(err))
	_, err = e.Diff(t.Context(), engine.Side{}, engine.Side{Document: "?"})
	require.Equal(t, apperr.PolicyInvalid, apperr.CodeOf(err))
}
