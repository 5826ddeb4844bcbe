package grpcapi

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/decidepb"
	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/policyfile"
)

const (
	defaultVersions = 50
	maxVersions     = 200
)

type policyServer struct {
	routerv1.UnimplementedPolicyServiceServer
	engine *engine.Engine
}

// Validate returns all problems of a document. Problems of the document are part of the
// response and cause no error.
func (s *policyServer) Validate(_ context.Context, r *routerv1.ValidateRequest) (*routerv1.ValidateResponse, error) {
	p, err := s.engine.Validate(r.GetDocument())
	var problems policy.Problems
	switch {
	case err == nil:
		return &routerv1.ValidateResponse{Version: p.Version()}, nil
	case !errors.As(err, &problems):
		return nil, err
	}
	return &routerv1.ValidateResponse{Problems: fromProblems(problems)}, nil
}

// Publish activates a document.
func (s *policyServer) Publish(ctx context.Context, r *routerv1.PublishRequest) (*routerv1.PublishResponse, error) {
	v, err := s.engine.Publish(ctx, engine.Draft{
		Document: r.GetDocument(), Author: r.GetAuthor(), Note: r.GetNote(), ExpectedVersion: r.GetExpectedVersion(),
	})
	if err != nil {
		return nil, err
	}
	return &routerv1.PublishResponse{Version: fromVersion(v)}, nil
}

// Rollback activates an older version again.
func (s *policyServer) Rollback(ctx context.Context, r *routerv1.RollbackRequest) (*routerv1.RollbackResponse, error) {
	v, err := s.engine.Rollback(ctx, r.GetVersion(), r.GetAuthor(), r.GetNote())
	if err != nil {
		return nil, err
	}
	return &routerv1.RollbackResponse{Version: fromVersion(v)}, nil
}

// List returns the versions, newest first.
func (s *policyServer) List(ctx context.Context, r *routerv1.ListRequest) (*routerv1.ListResponse, error) {
	limit := int(r.GetLimit())
	if limit <= 0 {
		limit = defaultVersions
	}
	all, err := s.engine.Versions(ctx, min(limit, maxVersions))
	if err != nil {
		return nil, err
	}
	out := &routerv1.ListResponse{}
	for _, v := range all {
		out.Versions = append(out.Versions, fromVersion(v))
	}
	return out, nil
}

// Get returns one version with its document.
func (s *policyServer) Get(ctx context.Context, r *routerv1.GetRequest) (*routerv1.GetResponse, error) {
	v, err := s.engine.Get(ctx, r.GetVersion())
	if err != nil {
		return nil, err
	}
	out := &routerv1.GetResponse{Version: fromVersion(v), ReadOnly: s.engine.ReadOnly()}
	var problems policy.Problems
	var unread policyfile.Fault
	switch fault := s.engine.RefreshError(); {
	case fault == nil || !out.ReadOnly:
	case errors.As(fault, &unread):
		out.FileFault = unread.Error()
	case errors.As(fault, &problems):
		out.FileFault, out.FileProblems = "the policy file is not valid", fromProblems(problems)
	default:
		// The error may contain paths and addresses, so it is only in the log.
		out.FileFault = "the policy file cannot be loaded; see the router's log for the reason"
	}
	return out, nil
}

// Diff compares two policies.
func (s *policyServer) Diff(ctx context.Context, r *routerv1.DiffRequest) (*routerv1.DiffResponse, error) {
	c, err := s.engine.Diff(ctx,
		engine.Side{Version: r.GetFrom(), Document: r.GetFromDocument()}, engine.Side{Version: r.GetTo(), Document: r.GetToDocument()})
	if err != nil {
		return nil, err
	}
	out := &routerv1.DiffResponse{Unified: c.Unified, From: c.From, To: c.To}
	for _, d := range c.Changes {
		out.Changes = append(out.Changes, &routerv1.Change{Path: d.Path, Kind: d.Kind, Old: d.Old, New: d.New})
	}
	return out, nil
}

// Explain returns the decision for a question. No request is served.
func (s *policyServer) Explain(_ context.Context, r *routerv1.ExplainRequest) (*routerv1.ExplainResponse, error) {
	q, err := decidepb.ToQuestion(r.GetQuestion())
	if err != nil {
		return nil, err
	}
	d, err := s.engine.Explain(q, r.GetQuestion().GetExcerpt(), r.GetDocument())
	if err != nil {
		return nil, err
	}
	return &routerv1.ExplainResponse{Decision: decidepb.FromDecision(d)}, nil
}

func fromVersion(v engine.Version) *routerv1.PolicyVersion {
	return &routerv1.PolicyVersion{
		Version: v.Name, CreatedAt: timestamppb.New(v.Created), ActivatedAt: fromTime(v.Activated), Origin: v.Origin,
		Author: v.Author, Note: v.Note, Active: v.Active, Document: v.Document,
	}
}

func fromProblems(all policy.Problems) []*routerv1.Problem {
	var out []*routerv1.Problem
	for _, p := range all {
		out = append(out, &routerv1.Problem{
			Path: p.Path, Line: int32(p.Line), Column: int32(p.Column),
			Code: p.Code, Message: p.Message, DidYouMean: p.DidYouMean,
		})
	}
	return out
}
