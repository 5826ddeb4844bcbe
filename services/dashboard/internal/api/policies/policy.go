package policies

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policyjson"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/access"
	"github.com/signalbox/signalbox/services/dashboard/internal/httpapi"
	"github.com/signalbox/signalbox/services/dashboard/internal/jsonvalue"
)

const (
	// policyTimeout limits a policy call. Checking a large document and running its
	// tests can take seconds.
	policyTimeout = 30 * time.Second
	// maxPolicyBody fits two documents of the maximum size, encoded as JSON.
	maxPolicyBody = 2 << 20
)

// callPolicies calls the router. It writes the part of the response that the
// function part selects.
func callPolicies[Q any, A proto.Message](w http.ResponseWriter, r *http.Request, q Q, call func(context.Context, Q, ...grpc.CallOption) (A, error), part func(A) any) error {
	ctx, cancel := context.WithTimeout(r.Context(), policyTimeout)
	defer cancel()
	a, err := call(ctx, q)
	if err = httpapi.ToRouterError(err); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, part(a))
}

func wholeMessage[A proto.Message](a A) any { return policyjson.EncodeMessage(a) }

// apiGetPolicy returns a policy version, by default the active one, and whether a
// configuration file controls the policy.
func (s *API) apiGetPolicy(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "version")
	if err != nil {
		return err
	}
	return callPolicies(w, r, &routerv1.GetRequest{Version: p.Get("version")}, s.Policies.Get, wholeMessage)
}

func (s *API) apiListPolicyVersions(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	p, err := httpapi.ParseParams(r, "limit")
	if err != nil {
		return err
	}
	limit, err := httpapi.ParseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	return callPolicies(w, r, &routerv1.ListRequest{Limit: int32(limit)}, s.Policies.List, func(a *routerv1.ListResponse) any {
		return map[string]any{"items": jsonvalue.ConvertAll(a.GetVersions(), policyjson.EncodeListedVersion)}
	})
}

// apiValidatePolicy returns the problems of a document, and its rules.
func (s *API) apiValidatePolicy(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		Document string `json:"document"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	return callPolicies(w, r, &routerv1.ValidateRequest{Document: body.Document}, s.Policies.Validate, func(a *routerv1.ValidateResponse) any {
		out := policyjson.EncodeMessage(a)
		out["rules"] = writtenRules(body.Document)
		return out
	})
}

func (s *API) apiDiffPolicies(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		From         string `json:"from"`
		To           string `json:"to"`
		FromDocument string `json:"from_document"`
		ToDocument   string `json:"to_document"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q := &routerv1.DiffRequest{From: body.From, To: body.To, FromDocument: body.FromDocument, ToDocument: body.ToDocument}
	return callPolicies(w, r, q, s.Policies.Diff, wholeMessage)
}

func (s *API) apiPublishPolicy(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body struct {
		Document        string `json:"document"`
		ExpectedVersion string `json:"expected_version"`
		Note            string `json:"note"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q := &routerv1.PublishRequest{Document: body.Document, ExpectedVersion: body.ExpectedVersion, Note: body.Note, Author: authorName(v)}
	return callPolicies(w, r, q, s.Policies.Publish, func(a *routerv1.PublishResponse) any {
		return s.recordChange(r, v, &keyauthv1.RecordPolicyChangeRequest{Note: body.Note}, a.GetVersion())
	})
}

func (s *API) apiRollbackPolicy(w http.ResponseWriter, r *http.Request, v *access.Viewer) error {
	var body struct {
		Version string `json:"version"`
		Note    string `json:"note"`
	}
	if err := httpapi.ReadJSON(w, r, &body); err != nil {
		return err
	}
	q := &routerv1.RollbackRequest{Version: body.Version, Note: body.Note, Author: authorName(v)}
	return callPolicies(w, r, q, s.Policies.Rollback, func(a *routerv1.RollbackResponse) any {
		return s.recordChange(r, v, &keyauthv1.RecordPolicyChangeRequest{Rollback: true, Note: body.Note}, a.GetVersion())
	})
}

// recordChange adds a change of the policy to the audit log, and returns the version for
// the response. The change is made already, so a failure is only logged.
func (s *API) recordChange(r *http.Request, v *access.Viewer, c *keyauthv1.RecordPolicyChangeRequest, now *routerv1.PolicyVersion) any {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), policyTimeout)
	defer cancel()
	c.Actor, c.Version = v.Actor(), now.GetVersion()
	if _, err := s.Accounts.RecordPolicyChange(ctx, c); err != nil {
		s.Log.Error("cannot add a policy change to the audit log", "request_id", httpapi.RequestID(r), "policy", c.GetVersion(), "author", authorName(v), "error", err)
	}
	return policyjson.EncodeListedVersion(now)
}

func (s *API) apiExplainPolicy(w http.ResponseWriter, r *http.Request, _ *access.Viewer) error {
	var body struct {
		Question json.RawMessage `json:"question"`
		Document string          `json:"document"`
		Protocol string          `json:"protocol"`
	}
	if err := httpapi.ReadJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	if body.Question == nil {
		body.Question = json.RawMessage("{}")
	}
	question, err := policyjson.ParseQuestionOrBody(body.Question, body.Protocol)
	if err != nil {
		return apperr.New(apperr.InvalidRequest, err.Error()).With("param", "question")
	}
	q := &routerv1.ExplainRequest{Question: question, Document: body.Document}
	return callPolicies(w, r, q, s.Policies.Explain, func(a *routerv1.ExplainResponse) any { return policyjson.EncodeDecision(a.GetDecision()) })
}

func authorName(v *access.Viewer) string { return cmp.Or(v.User.GetEmail(), "operator") }
