package router_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/rpc"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

type clients struct {
	router   routerv1.RouterServiceClient
	policies routerv1.PolicyServiceClient
	service  *router.Service
}

// start runs a router with its own store and connects to it.
func start(t testing.TB, cfg router.Config, environ ...string) clients {
	return startWith(t, cfg, router.Deps{Environ: environ})
}

// startWith works like start, but with other dependencies.
func startWith(t testing.TB, cfg router.Config, deps router.Deps) clients {
	network := rpc.NewMemory()
	if cfg.Data == "" {
		cfg.Data = t.TempDir()
	}
	deps.Listener, deps.Log = network.Listener(), slog.New(slog.DiscardHandler)
	svc, err := router.New(t.Context(), cfg, deps)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- svc.Run(ctx) }()
	conn, err := network.Dial(rpc.ClientConfig{})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, svc.Close())
	})
	return clients{routerv1.NewRouterServiceClient(conn), routerv1.NewPolicyServiceClient(conn), svc}
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func ask(model string, needs ...string) *routerv1.DecideRequest {
	return &routerv1.DecideRequest{Question: &routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: model, Needs: needs, InputTokens: 100,
		Features: []*routerv1.NamedValue{{Name: "turns", Value: 1}}, Caller: &routerv1.Caller{BaselineModel: "sandbox-medium"},
	}}
}

func TestDecide(t *testing.T) {
	c := start(t, router.Config{})
	r, err := c.router.Decide(bounded(t), ask("auto", "json_schema"))
	require.NoError(t, err)
	d := r.GetDecision()
	require.Equal(t, "sandbox-medium", d.GetPlan()[0].GetModel())
	require.Equal(t, "sandbox", d.GetPlan()[0].GetProvider())
	require.Equal(t, "sandbox-medium", d.GetHealthyFirst().GetModel())
	require.Equal(t, "CHEAPEST", d.GetReason().GetCode())
	require.Equal(t, "good-and-cheap", d.GetReason().GetRule())
	require.Equal(t, "sandbox-medium", d.GetBaselineModel())
	require.Empty(t, d.GetFeatures(), "the proxy has the features of the question")
	require.Len(t, d.GetVerdicts(), 3)
	require.Equal(t, "MISSING_CAPABILITY", d.GetVerdicts()[0].GetCode())
	// 100 input and 512 output tokens at 0.6 and 2.4 dollars per million.
	require.Equal(t, int64(60_000+1_228_800), d.GetVerdicts()[1].GetPredictedNanoUsd())
	require.NotEmpty(t, d.GetPolicyVersion())
	require.NotEmpty(t, d.GetCatalogVersion())
	require.NotEmpty(t, d.GetEngineVersion())
}

func TestDecideEmbeddings(t *testing.T) {
	c := start(t, router.Config{})
	q := &routerv1.Question{Endpoint: routerv1.Endpoint_ENDPOINT_EMBEDDINGS, Model: "auto"}
	r, err := c.router.Decide(bounded(t), &routerv1.DecideRequest{Question: q})
	require.NoError(t, err)
	require.Equal(t, "sandbox-embed", r.GetDecision().GetPlan()[0].GetModel())
}

func TestRefusalsKeepTheirDetails(t *testing.T) {
	c := start(t, router.Config{})
	_, err := c.router.Decide(bounded(t), ask("sandbox-smal"))
	e := apperr.From(err)
	require.Equal(t, apperr.ModelNotFound, e.Code)
	require.Equal(t, "sandbox-small", e.Details["did_you_mean"])
	_, err = c.router.Decide(bounded(t), &routerv1.DecideRequest{Question: &routerv1.Question{Model: "auto"}})
	require.True(t, apperr.Is(err, apperr.InvalidRequest), "an endpoint must be named")
}

func TestDecideStreamGoesOnAfterARefusal(t *testing.T) {
	c := start(t, router.Config{})
	stream, err := c.router.DecideStream(bounded(t))
	require.NoError(t, err)
	want := map[uint64]string{1: "auto", 2: "nowhere", 3: "sandbox-large"}
	for id, model := range want {
		require.NoError(t, stream.Send(&routerv1.DecideStreamRequest{Id: id, Request: ask(model)}))
	}
	require.NoError(t, stream.CloseSend())
	got := map[uint64]*routerv1.DecideStreamResponse{}
	for range want {
		r, err := stream.Recv()
		require.NoError(t, err)
		got[r.GetId()] = r
	}
	require.Equal(t, "sandbox-small", got[1].GetResponse().GetDecision().GetPlan()[0].GetModel())
	require.Equal(t, "MODEL_NOT_FOUND", got[2].GetRefusal().GetCode())
	var details map[string]any
	require.NoError(t, json.Unmarshal([]byte(got[2].GetRefusal().GetDetailsJson()), &details))
	require.Equal(t, "nowhere", details["requested_model"])
	require.Equal(t, "sandbox-large", got[3].GetResponse().GetDecision().GetPlan()[0].GetModel())
	_, err = stream.Recv()
	require.ErrorIs(t, err, io.EOF)
}

func TestWatchSendsTheSnapshotOnceAndThenBeats(t *testing.T) {
	c := start(t, router.Config{})
	stream, err := c.router.WatchPolicy(bounded(t), &routerv1.WatchPolicyRequest{})
	require.NoError(t, err)
	m, err := stream.Recv()
	require.NoError(t, err)
	p, err := policy.Decode(m.GetSnapshot().GetCompiled())
	require.NoError(t, err)
	require.Equal(t, p.Version(), m.GetSnapshot().GetVersion())
	require.NotZero(t, m.GetSnapshot().GetActivatedAt().AsTime())
	m, err = stream.Recv()
	require.NoError(t, err)
	require.Nil(t, m.GetSnapshot())

	stream, err = c.router.WatchPolicy(bounded(t), &routerv1.WatchPolicyRequest{Have: p.Version()})
	require.NoError(t, err)
	m, err = stream.Recv()
	require.NoError(t, err)
	require.Nil(t, m.GetSnapshot(), "what the caller has is not sent again")
}

func TestReportsShowInStatus(t *testing.T) {
	c := start(t, router.Config{})
	stream, err := c.router.ReportOutcomes(bounded(t))
	require.NoError(t, err)
	target := &routerv1.Candidate{Model: "sandbox-small", Provider: "sandbox"}
	for _, code := range []string{"", "", "PROVIDER_TIMEOUT"} {
		require.NoError(t, stream.Send(&routerv1.ReportOutcomesRequest{Outcomes: []*routerv1.CandidateOutcome{{Candidate: target, Code: code}}}))
	}
	r, err := stream.CloseAndRecv()
	require.NoError(t, err)
	require.Equal(t, int64(3), r.GetAccepted())
	s, err := c.router.Status(bounded(t), &routerv1.StatusRequest{})
	require.NoError(t, err)
	require.NotEmpty(t, s.GetPolicyVersion())
	found := map[string]*routerv1.CandidateStatus{}
	for _, st := range s.GetCandidates() {
		found[st.GetCandidate().GetModel()] = st
	}
	small := found["sandbox-small"]
	require.Equal(t, int64(2), small.GetSucceeded())
	require.Equal(t, int64(1), small.GetFailed())
	require.Equal(t, "PROVIDER_TIMEOUT", small.GetLastCode())
	require.NotNil(t, small.GetLastFailure())
	require.Nil(t, found["sandbox-large"].GetLastFailure())
}

func TestPolicyService(t *testing.T) {
	c := start(t, router.Config{})
	v, err := c.policies.Validate(bounded(t), &routerv1.ValidateRequest{Document: "version: 1\nmodles: {}\nroutes: 5"})
	require.NoError(t, err)
	require.Empty(t, v.GetVersion())
	require.Len(t, v.GetProblems(), 2)
	p := v.GetProblems()[0]
	require.Equal(t, []any{"modles", int32(2), int32(1), "UNKNOWN_FIELD", "models"}, []any{p.GetPath(), p.GetLine(), p.GetColumn(), p.GetCode(), p.GetDidYouMean()})

	list, err := c.policies.List(bounded(t), &routerv1.ListRequest{})
	require.NoError(t, err)
	require.Len(t, list.GetVersions(), 1)
	require.Equal(t, "default", list.GetVersions()[0].GetOrigin())
	require.True(t, list.GetVersions()[0].GetActive())
	require.Empty(t, list.GetVersions()[0].GetDocument())
	got, err := c.policies.Get(bounded(t), &routerv1.GetRequest{})
	require.NoError(t, err)
	require.False(t, got.GetReadOnly())
	v, err = c.policies.Validate(bounded(t), &routerv1.ValidateRequest{Document: got.GetVersion().GetDocument()})
	require.NoError(t, err)
	require.Equal(t, list.GetVersions()[0].GetVersion(), v.GetVersion())

	x, err := c.policies.Explain(bounded(t), &routerv1.ExplainRequest{Question: ask("sandbox-large").GetQuestion()})
	require.NoError(t, err)
	require.Equal(t, "EXPLICIT_MODEL", x.GetDecision().GetReason().GetCode())
	_, err = c.policies.Explain(bounded(t), &routerv1.ExplainRequest{Question: ask("auto").GetQuestion(), Document: "version: 1\nmodles: {}"})
	e := apperr.From(err)
	require.Equal(t, apperr.PolicyInvalid, e.Code)
	require.Equal(t, "UNKNOWN_FIELD", e.Details["problems"].([]any)[0].(map[string]any)["code"])
}

func TestEnvironmentNamesDecideTheDefault(t *testing.T) {
	c := start(t, router.Config{}, "OPENAI_API_KEY=x", "GROQ_API_KEY=", "PATH=/bin")
	r, err := c.router.Decide(bounded(t), ask("auto"))
	require.NoError(t, err)
	require.Equal(t, "openai", r.GetDecision().GetPlan()[0].GetProvider())
	for _, v := range r.GetDecision().GetVerdicts() {
		require.NotEqual(t, "groq", v.GetCandidate().GetProvider(), "an emptied variable is no credential")
	}
}

func write(t *testing.T, document string) string {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(path, []byte(document), 0o600))
	return path
}

func TestPolicyFile(t *testing.T) {
	path := write(t, "version: 1\nmodels: {only: {endpoints: [{provider: sandbox, model: sandbox-large}]}}\n")
	data := t.TempDir()
	c := start(t, router.Config{Policy: path, Data: data})
	r, err := c.router.Decide(bounded(t), ask("only"))
	require.NoError(t, err)
	require.Equal(t, "only", r.GetDecision().GetPlan()[0].GetModel())
	list, err := c.policies.List(bounded(t), &routerv1.ListRequest{})
	require.NoError(t, err)
	require.Equal(t, "file", list.GetVersions()[0].GetOrigin())
	require.FileExists(t, filepath.Join(data, "policy.db"))
}

func TestFaultyPolicyFileIsNamedInEveryLine(t *testing.T) {
	path := write(t, "version: 1\nmodles: {}\nroutes: 5\n")
	deps := router.Deps{Listener: rpc.NewMemory().Listener(), Log: slog.New(slog.DiscardHandler)}
	_, err := router.New(t.Context(), router.Config{Policy: path, Data: t.TempDir()}, deps)
	require.EqualError(t, err, path+":2:1: modles: UNKNOWN_FIELD: unknown field \"modles\": known fields are version, providers, models, defaults, routes, experiments, did you mean \"models\"?\n"+
		path+":3:9: routes: WRONG_TYPE: must be a mapping of names to values")
	_, err = router.New(t.Context(), router.Config{Policy: write(t, ""), Data: t.TempDir()}, deps)
	require.ErrorContains(t, err, "MISSING_FIELD", "an empty file is a file")
	_, err = router.New(t.Context(), router.Config{Policy: "none.yaml", Data: t.TempDir()}, deps)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestMissingDepsAreNamed(t *testing.T) {
	_, err := router.New(t.Context(), router.Config{}, router.Deps{})
	require.ErrorContains(t, err, "Deps.Listener")
	_, err = router.New(t.Context(), router.Config{}, router.Deps{Listener: rpc.NewMemory().Listener()})
	require.ErrorContains(t, err, "Deps.Log")
}

func TestLoadConfig(t *testing.T) {
	c, err := router.LoadConfig([]string{"--config", "p.yaml"}, []string{"SIGNALBOX_ROUTER_STORE=postgres://h/d"})
	require.NoError(t, err)
	require.Equal(t, []string{"p.yaml", "./data", "postgres://h/d"}, []string{c.Policy, c.Data, c.Store.Reveal()})
	require.Equal(t, "127.0.0.1:7001", c.Process.Listen)
}

// A conversation is recognized over the stream, and the response contains its previous
// candidate.
func TestConversationsOverTheStream(t *testing.T) {
	file := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`version: 1
models: {sandbox-small: {}, sandbox-large: {}}
routes:
  auto:
    select:
      - {when: {request.metadata.first: large}, candidates: [sandbox-large, sandbox-small]}
      - {candidates: [sandbox-small, sandbox-large]}
    affinity: {}
`), 0o600))
	c := start(t, router.Config{Policy: file})
	stream, err := c.router.DecideStream(bounded(t))
	require.NoError(t, err)
	for id, metadata := range []map[string]string{0: {"first": "large"}, 1: nil} {
		q := ask("auto")
		q.Question.Metadata, q.Question.Conversation = metadata, 7
		require.NoError(t, stream.Send(&routerv1.DecideStreamRequest{Id: uint64(id), Request: q}))
		r, err := stream.Recv()
		require.NoError(t, err)
		d := r.GetResponse().GetDecision()
		require.Equal(t, "sandbox-large", d.GetPlan()[0].GetModel())
		require.Equal(t, id == 1, d.GetSticky().GetModel() == "sandbox-large")
		require.Equal(t, id == 1, d.GetReason().GetCode() == "STICKY")
	}
}
