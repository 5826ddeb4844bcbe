package grpcapi

import (
	"context"
	"errors"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

const (
	defaultVersions = 50
	maxVersions     = 200
)

type policies struct {
	routerv1.UnimplementedPolicyServiceServer
	engine *engine.Engine
}

// Validate returns all problems of a document; they are the answer, not an
// error.
func (s *policies) Validate(_ context.Context, r *routerv1.ValidateRequest) (*routerv1.ValidateResponse, error) {
	p, err := s.engine.Validate(r.GetDocument())
	var problems policy.Problems
	switch {
	case err == nil:
		return &routerv1.ValidateResponse{Version: p.Version()}, nil
	case !errors.As(err, &problems):
		return nil, err
	}
	out := &routerv1.ValidateResponse{}
	for _, p := range problems {
		out.Problems = append(out.Problems, &routerv1.Problem{
			Path: p.Path, Line: int32(p.Line), Column: int32(p.Column),
			Code: p.Code, Message: p.Message, DidYouMean: p.DidYouMean,
		})
	}
	return out, nil
}

// List returns the versions, newest first.
func (s *policies) List(ctx context.Context, r *routerv1.ListRequest) (*routerv1.ListResponse, error) {
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
		out.Versions = append(out.Versions, &routerv1.PolicyVersion{
			Version: v.Name, CreatedAt: timestamppb.New(v.Created), Origin: v.Origin,
			Author: v.Author, Active: v.Active, Document: v.Document,
		})
	}
	return out, nil
}

// Explain decides without serving.
func (s *policies) Explain(_ context.Context, r *routerv1.ExplainRequest) (*routerv1.ExplainResponse, error) {
	q, err := toQuestion(r.GetQuestion())
	if err != nil {
		return nil, err
	}
	d, err := s.engine.Explain(q, r.GetDocument())
	if err != nil {
		return nil, err
	}
	return &routerv1.ExplainResponse{Decision: fromDecision(d)}, nil
}
