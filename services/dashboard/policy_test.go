package dashboard_test

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// policies is a fake policy service of the router that records its requests.
type policies struct {
	routerv1.UnimplementedPolicyServiceServer
	mu    sync.Mutex
	asked proto.Message
	// document is the active document, if it is not empty.
	document string
	// refuses is the error for changes; nil for none.
	refuses error
	// explained are the questions of all calls of Explain.
	explained []*routerv1.Question
	// rollouts are those that ListRollouts returns.
	rollouts []*routerv1.Rollout
}

func (p *policies) hear(m proto.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = m
	return p.refuses
}

func (p *policies) heard() proto.Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func someVersion() *routerv1.PolicyVersion {
	at := timestamppb.New(noon)
	return &routerv1.PolicyVersion{Version: "abc", CreatedAt: at, ActivatedAt: at, Origin: "publish", Author: "o@example.com", Active: true}
}

func (p *policies) Get(_ context.Context, r *routerv1.GetRequest) (*routerv1.GetResponse, error) {
	v := someVersion()
	v.Document = cmp.Or(p.document, "version: 1\n")
	problem := &routerv1.Problem{Line: 2, Column: 1, Code: "UNKNOWN_FIELD"}
	return &routerv1.GetResponse{Version: v, ReadOnly: true, FileFault: "faulty", FileProblems: []*routerv1.Problem{problem}}, p.hear(r)
}

func (p *policies) List(_ context.Context, r *routerv1.ListRequest) (*routerv1.ListResponse, error) {
	return &routerv1.ListResponse{Versions: []*routerv1.PolicyVersion{someVersion()}}, p.hear(r)
}

func (p *policies) Validate(_ context.Context, r *routerv1.ValidateRequest) (*routerv1.ValidateResponse, error) {
	return &routerv1.ValidateResponse{Problems: []*routerv1.Problem{{Line: 1, Code: "SYNTAX"}}}, p.hear(r)
}

func (p *policies) Diff(_ context.Context, r *routerv1.DiffRequest) (*routerv1.DiffResponse, error) {
	return &routerv1.DiffResponse{From: "a", To: "b", Changes: []*routerv1.Change{{Path: "models.x", Kind: "added", New: "{}"}}}, p.hear(r)
}

func (p *policies) Explain(_ context.Context, r *routerv1.ExplainRequest) (*routerv1.ExplainResponse, error) {
	p.mu.Lock()
	p.explained = append(p.explained, r.GetQuestion())
	p.mu.Unlock()
	target := &routerv1.Candidate{Model: "small", Provider: "mine"}
	return &routerv1.ExplainResponse{Decision: &routerv1.Decision{
		Plan: []*routerv1.Candidate{target}, Reason: &routerv1.Reason{Code: "FIRST_ELIGIBLE"}, PolicyVersion: "abc",
		Verdicts: []*routerv1.Verdict{{Candidate: target, Code: "CHOSEN", PredictedNanoUsd: proto.Int64(12)}},
	}}, p.hear(r)
}

func (p *policies) Publish(_ context.Context, r *routerv1.PublishRequest) (*routerv1.PublishResponse, error) {
	return &routerv1.PublishResponse{Version: someVersion()}, p.hear(r)
}

func (p *policies) Rollback(_ context.Context, r *routerv1.RollbackRequest) (*routerv1.RollbackResponse, error) {
	return &routerv1.RollbackResponse{Version: someVersion()}, p.hear(r)
}

func (w *walk) policy(operator *browser) {
	w.call(operator, "GET /providers/supported", "", "", "")
	w.call(operator, "GET /policy", "", "?version=ab", "")
	w.call(operator, "GET /policy/versions", "", "?limit=2", "")
	w.call(operator, "GET /policy/rules", "", "?from=2026-11-14&to=2026-11-15", "")
	const document = `{"document":"routes: {auto: {select: [{when: {key.tag: x}, deny: a}, {deny: b}]}}","route":"auto",`
	w.call(operator, "POST /policy/rules/move", "", "", document+`"from":0,"to":1}`)
	w.call(operator, "POST /policy/rules/add", "", "", document+`"at":0,"rule":"{deny: c}"}`)
	w.call(operator, "GET /policy/words", "", "", "")
	w.call(operator, "POST /policy/validate", "", "", `{"document":"routes: {auto: {select: [{when: {key.tag: x}, deny: a}]}}"}`)
	w.call(operator, "POST /policy/diff", "", "", `{"from":"a","to_document":"version: 1"}`)
	w.call(operator, "POST /policy/explain", "", "", `{"question":{"model":"auto","caller":{"tags":["eu"]}},"document":"version: 1"}`)
	w.call(operator, "POST /policy/replay", "", "", `{"from":"2026-11-14","to":"2026-11-15","filter":"route:fallback"}`)
	w.call(operator, "GET /policy/frontier", "", "?from=2026-11-14&to=2026-11-15", "")
	w.call(operator, "GET /policy/experiments", "", "", "")
	w.call(operator, "POST /policy/experiments", "", "", `{"action":"add","name":"try","expected_version":"abc","share":"0.1","routes":["auto"],"candidates":["a"],"judge":"b","daily_usd":"2"}`)
	w.call(operator, "POST /policy/publish", "", "", `{"document":"version: 1","expected_version":"abc","note":"why"}`)
	w.call(operator, "POST /policy/rollback", "", "", `{"version":"abc","note":"back"}`)
}

func TestPolicyCallsReachTheRouter(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	email := o.api("GET", "/session", "").json(t)["user"].(map[string]any)["email"].(string)
	for _, c := range []struct {
		method, path, body string
		want               proto.Message
	}{
		{"GET", "/policy?version=ab", "", &routerv1.GetRequest{Version: "ab"}},
		{"GET", "/policy/versions", "", &routerv1.ListRequest{Limit: 50}},
		{"POST", "/policy/validate", `{"document":"d"}`, &routerv1.ValidateRequest{Document: "d"}},
		{"POST", "/policy/diff", `{"from":"a","to":"b","from_document":"c","to_document":"d"}`,
			&routerv1.DiffRequest{From: "a", To: "b", FromDocument: "c", ToDocument: "d"}},
		{"POST", "/policy/explain", `{"question":{"input_tokens":7},"document":"d"}`, &routerv1.ExplainRequest{
			Document: "d", Question: &routerv1.Question{Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: "auto", InputTokens: 7}}},
		{"POST", "/policy/publish", `{"document":"d","expected_version":"e","note":"n"}`,
			&routerv1.PublishRequest{Document: "d", ExpectedVersion: "e", Note: "n", Author: email}},
		{"POST", "/policy/rollback", `{"version":"v","note":"n"}`, &routerv1.RollbackRequest{Version: "v", Note: "n", Author: email}},
	} {
		a := o.api(c.method, c.path, c.body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.True(t, proto.Equal(c.want, h.policies.heard()), "%s: %v", c.path, h.policies.heard())
	}
	verdict := o.api("POST", "/policy/explain", `{"question":{}}`).json(t)["verdicts"].([]any)[0].(map[string]any)
	require.Equal(t, float64(12), verdict["predicted_nano_usd"])
}

func TestRefusalsAboutPolicies(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	details := o.api("POST", "/policy/explain", `{"question":{"modle":"x"}}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "question", details["param"])
	o.api("POST", "/policy/explain", `{"question":null}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	document := strings.Repeat("#", 600<<10)
	require.Equal(t, http.StatusOK, o.api("POST", "/policy/validate", `{"document":"`+document+`"}`).status, "the router says that it is too large")
	o.api("POST", "/policy/validate", `{"document":"`+strings.Repeat("#", 2<<20)+`"}`).requireError(t, http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE")
	o.api("POST", "/policy/rollback", `{"version":"`+document+`"}`).requireError(t, http.StatusRequestEntityTooLarge, "REQUEST_TOO_LARGE")

	h.policies.refuses = apperr.New(apperr.PolicyReadOnly, "the file rules")
	o.api("POST", "/policy/publish", `{"document":"d"}`).requireError(t, http.StatusConflict, "POLICY_READ_ONLY")
	h.policies.refuses = apperr.New(apperr.PolicyTestFailed, "its tests fail").With("problems", []any{map[string]any{"line": 3}})
	details = o.api("POST", "/policy/publish", `{"document":"d"}`).requireError(t, http.StatusUnprocessableEntity, "POLICY_TESTS_FAILED")
	require.Equal(t, float64(3), details["problems"].([]any)[0].(map[string]any)["line"])
}

func TestPolicyChangesAreInTheAuditLog(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	require.Equal(t, http.StatusOK, o.api("POST", "/policy/publish", `{"document":"version: 1","note":"why"}`).status)
	require.Equal(t, http.StatusOK, o.api("POST", "/policy/rollback", `{"version":"ab","note":"back"}`).status)
	require.Len(t, h.accounts.changes, 2)
	for i, want := range []*keyauthv1.RecordPolicyChangeRequest{{Note: "why"}, {Note: "back", Rollback: true}} {
		got := h.accounts.changes[i]
		require.NotEmpty(t, got.GetActor().GetUserId())
		want.Actor, want.Version = got.GetActor(), "abc"
		require.True(t, proto.Equal(want, got), got)
	}
}
