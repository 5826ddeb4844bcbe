package web

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
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

const (
	// policyTimeout bounds what is asked about policies: a document and its
	// tests may take a while.
	policyTimeout = 30 * time.Second
	// maxPolicyBody is for two documents of the largest size, in JSON.
	maxPolicyBody = 2 << 20
)

// askPolicies answers with the message that a call of the router returns, or
// with the part of it that is wanted.
func askPolicies[Q any, A proto.Message](w http.ResponseWriter, r *http.Request, q Q, call func(context.Context, Q, ...grpc.CallOption) (A, error), part func(A) any) error {
	ctx, cancel := context.WithTimeout(r.Context(), policyTimeout)
	defer cancel()
	a, err := call(ctx, q)
	if err = reached(err, apperr.New(apperr.RoutingUnavailable, "the router cannot be reached")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, part(a))
}

func whole[A proto.Message](a A) any { return policyjson.Message(a) }

// apiPolicy shows a version, the one in force if none is named, and whether a
// file rules.
func (s *server) apiPolicy(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	p, err := params(r, "version")
	if err != nil {
		return err
	}
	return askPolicies(w, r, &routerv1.GetRequest{Version: p.Get("version")}, s.Policies.Get, whole)
}

func (s *server) apiPolicyVersions(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	p, err := params(r, "limit")
	if err != nil {
		return err
	}
	limit, err := parseLimit(p.Get("limit"))
	if err != nil {
		return err
	}
	return askPolicies(w, r, &routerv1.ListRequest{Limit: int32(limit)}, s.Policies.List, func(a *routerv1.ListResponse) any {
		items := []any{}
		for _, v := range a.GetVersions() {
			items = append(items, policyjson.Listed(v))
		}
		return map[string]any{"items": items}
	})
}

func (s *server) apiValidatePolicy(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	var body struct {
		Document string `json:"document"`
	}
	if err := readJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	return askPolicies(w, r, &routerv1.ValidateRequest{Document: body.Document}, s.Policies.Validate, whole)
}

func (s *server) apiPolicyDiff(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	var body struct {
		From         string `json:"from"`
		To           string `json:"to"`
		FromDocument string `json:"from_document"`
		ToDocument   string `json:"to_document"`
	}
	if err := readJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q := &routerv1.DiffRequest{From: body.From, To: body.To, FromDocument: body.FromDocument, ToDocument: body.ToDocument}
	return askPolicies(w, r, q, s.Policies.Diff, whole)
}

func (s *server) apiPublishPolicy(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var body struct {
		Document        string `json:"document"`
		ExpectedVersion string `json:"expected_version"`
		Note            string `json:"note"`
	}
	if err := readJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	q := &routerv1.PublishRequest{Document: body.Document, ExpectedVersion: body.ExpectedVersion, Note: body.Note, Author: author(v)}
	return askPolicies(w, r, q, s.Policies.Publish, func(a *routerv1.PublishResponse) any { return policyjson.Listed(a.GetVersion()) })
}

func (s *server) apiRollbackPolicy(w http.ResponseWriter, r *http.Request, v *viewer) error {
	var body struct {
		Version string `json:"version"`
		Note    string `json:"note"`
	}
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	q := &routerv1.RollbackRequest{Version: body.Version, Note: body.Note, Author: author(v)}
	return askPolicies(w, r, q, s.Policies.Rollback, func(a *routerv1.RollbackResponse) any { return policyjson.Listed(a.GetVersion()) })
}

func (s *server) apiExplainPolicy(w http.ResponseWriter, r *http.Request, _ *viewer) error {
	var body struct {
		Question json.RawMessage `json:"question"`
		Document string          `json:"document"`
	}
	if err := readJSONUpTo(w, r, &body, maxPolicyBody); err != nil {
		return err
	}
	if body.Question == nil {
		body.Question = json.RawMessage("{}")
	}
	question, err := policyjson.Question(body.Question)
	if err != nil {
		return apperr.New(apperr.InvalidRequest, err.Error()).With("param", "question")
	}
	q := &routerv1.ExplainRequest{Question: question, Document: body.Document}
	return askPolicies(w, r, q, s.Policies.Explain, func(a *routerv1.ExplainResponse) any { return policyjson.Message(a.GetDecision()) })
}

// author is who is kept beside a version.
func author(v *viewer) string { return cmp.Or(v.user.GetEmail(), "operator") }
