package engine_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/store"
)

func openStore(t *testing.T) *store.Store {
	s, err := store.Open(context.Background(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "policy.db")))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func loadCatalog(t *testing.T) *catalog.Catalog {
	c, err := catalog.Load()
	require.NoError(t, err)
	return c
}

// open starts an engine as after a restart: with an environment and optionally a file.
func open(t *testing.T, s engine.Store, document string, env ...string) (*engine.Engine, error) {
	start := engine.Options{Store: s, Catalog: loadCatalog(t), Log: slog.New(slog.DiscardHandler)}
	start.HasEnv = func(name string) bool { return len(env) > 0 && env[0] == name }
	if document != "" {
		start.ReadFile = func(context.Context) ([]byte, error) { return []byte(document), nil }
	}
	return engine.Open(context.Background(), start)
}

func active(t *testing.T, e *engine.Engine, err error) engine.Active {
	require.NoError(t, err)
	a, _ := e.Active()
	return a
}

func kept(t *testing.T, s engine.Store) (engine.Version, int) {
	v, ok, err := s.Active(context.Background())
	require.NoError(t, err)
	require.True(t, ok)
	all, err := s.List(context.Background(), 100)
	require.NoError(t, err)
	return v, len(all)
}

const oneModel = "version: 1\nmodels: {sandbox-small: {}}\nroutes: {auto: {select: [{target: sandbox-small}]}}\n"

func TestDefaultFollowsTheEnvironment(t *testing.T) {
	s := openStore(t)
	e, err := open(t, s, "")
	first := active(t, e, err)
	_, ok := first.Policy.Model("sandbox-small")
	require.True(t, ok)
	v, n := kept(t, s)
	require.Equal(t, engine.OriginDefault, v.Origin)
	require.Equal(t, first.Policy.Version(), v.Name)
	require.Equal(t, 1, n)

	e, err = open(t, s, "")
	again := active(t, e, err)
	require.Equal(t, first.Policy.Version(), again.Policy.Version())
	require.Equal(t, first.Since, again.Since, "the same policy is in force since then, not since the restart")

	e, err = open(t, s, "", "OPENAI_API_KEY")
	renewed := active(t, e, err)
	_, ok = renewed.Policy.Provider("openai")
	require.True(t, ok)
	_, n = kept(t, s)
	require.Equal(t, 2, n)
}

func TestFileRules(t *testing.T) {
	s := openStore(t)
	_, err := open(t, s, "")
	require.NoError(t, err)
	e, err := open(t, s, oneModel)
	a := active(t, e, err)
	require.Len(t, a.Policy.Models, 1)
	v, _ := kept(t, s)
	require.Equal(t, engine.OriginFile, v.Origin)
	require.Equal(t, oneModel, v.Document)

	e, err = open(t, s, "", "OPENAI_API_KEY")
	require.Equal(t, a.Policy.Version(), active(t, e, err).Policy.Version(), "what somebody wrote is not replaced by a default")
}

func TestFaultyFileLeavesTheStoreAlone(t *testing.T) {
	s := openStore(t)
	_, err := open(t, s, "")
	require.NoError(t, err)
	before, n := kept(t, s)
	_, err = open(t, s, "version: 1\nmodles: {}")
	var problems policy.Problems
	require.ErrorAs(t, err, &problems)
	after, m := kept(t, s)
	require.Equal(t, before, after)
	require.Equal(t, n, m)
}

func TestUnreadableSnapshotIsCompiledAgain(t *testing.T) {
	s := openStore(t)
	now := time.Now().UTC().Truncate(time.Microsecond)
	require.NoError(t, s.Activate(context.Background(), engine.Version{
		Name: "old", Document: oneModel, Compiled: []byte(`{"schema":0}`), Origin: engine.OriginPublish, Created: now, Activated: now,
	}, ""))
	e, err := open(t, s, "")
	a := active(t, e, err)
	require.Len(t, a.Policy.Models, 1)
	v, _ := kept(t, s)
	require.Equal(t, a.Policy.Version(), v.Name, "what is in force is kept")
	require.Equal(t, engine.OriginPublish, v.Origin)

	require.NoError(t, s.Activate(context.Background(), engine.Version{
		Name: "broken", Document: "nonsense", Compiled: []byte(`{}`), Origin: engine.OriginPublish, Created: now, Activated: now,
	}, ""))
	_, err = open(t, s, "")
	require.ErrorContains(t, err, "stored policy broken")
}

func TestExplainByAnotherDocument(t *testing.T) {
	e, err := open(t, openStore(t), oneModel)
	require.NoError(t, err)
	q := decide.Question{Kind: catalog.Chat, Model: "auto"}
	d, err := e.Explain(q, "", "version: 1\nmodels: {sandbox-large: {}}\nroutes: {auto: {select: [{target: sandbox-large}]}}")
	require.NoError(t, err)
	require.Equal(t, "sandbox-large", d.Plan[0].Model)
	d, err = e.Explain(q, "", "")
	require.NoError(t, err)
	require.Equal(t, "sandbox-small", d.Plan[0].Model)
	_, err = e.Explain(q, "", "version: 3")
	require.True(t, apperr.Is(err, apperr.PolicyInvalid))
}

const twoPlaces = `version: 1
providers: {a: {kind: sandbox}, b: {kind: sandbox}}
models: {m: {endpoints: [{provider: a, model: sandbox-small}, {provider: b, model: sandbox-small}]}}
`

func TestStatusCountsTheLastMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := open(t, forgetful{}, twoPlaces)
		require.NoError(t, err)
		target := decide.Candidate{Model: "m", Provider: "b"}
		e.Report(engine.Outcome{Candidate: target})
		e.Report(engine.Outcome{Candidate: target, Code: apperr.ProviderTimeout})
		e.Report(engine.Outcome{Candidate: target, Code: apperr.ProviderBadRequest})
		e.Report(engine.Outcome{Candidate: target, Code: apperr.ClientCancelled})
		e.Report(engine.Outcome{Candidate: decide.Candidate{Model: "gone", Provider: "b"}})
		failed := time.Now()
		wait(2 * time.Minute)
		e.Report(engine.Outcome{Candidate: target})
		version, all := e.Status()
		a, _ := e.Active()
		require.Equal(t, a.Policy.Version(), version)
		require.Equal(t, []engine.CandidateStatus{
			{Candidate: decide.Candidate{Model: "m", Provider: "a"}},
			{Candidate: target, Succeeded: 2, Failed: 1, LastCode: apperr.ProviderTimeout, LastFailure: failed},
		}, all)
		wait(4 * time.Minute)
		_, all = e.Status()
		require.Equal(t, int64(1), all[1].Succeeded)
		require.Equal(t, int64(0), all[1].Failed)
		require.Equal(t, apperr.ProviderTimeout, all[1].LastCode)
	})
}

// Unlisted models are shown once they were used.
func TestStatusShowsTheUnlistedThatWereAsked(t *testing.T) {
	e, err := open(t, openStore(t), "version: 1\nproviders: {groq: {}}\nmodels: {qwen3.8-27b: {}}")
	require.NoError(t, err)
	listed := decide.Candidate{Model: "qwen3.8-27b", Provider: "groq"}
	other := decide.Candidate{Model: "gpt-oss-20b", Provider: "groq"}
	shown := func() (all []decide.Candidate) {
		_, status := e.Status()
		for _, s := range status {
			all = append(all, s.Candidate)
		}
		return all
	}
	require.Equal(t, []decide.Candidate{listed}, shown())
	e.Report(engine.Outcome{Candidate: other, Code: apperr.ProviderTimeout})
	require.Equal(t, []decide.Candidate{other, listed}, shown())
}

// wait advances the clock of the synctest bubble.
func wait(d time.Duration) { <-time.After(d) }

// forgetful replaces the database, whose goroutines cannot run in the bubble.
type forgetful struct{ engine.Store }

func (forgetful) Active(context.Context) (engine.Version, bool, error) {
	return engine.Version{}, false, nil
}

func (forgetful) Activate(context.Context, engine.Version, string) error { return nil }

func (forgetful) Drains(context.Context) ([]engine.Drain, int64, error) { return nil, 0, nil }
