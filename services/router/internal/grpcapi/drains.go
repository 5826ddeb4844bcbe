package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Drain stops new requests to a provider or a model.
func (s *routerServer) Drain(ctx context.Context, r *routerv1.DrainRequest) (*routerv1.DrainResponse, error) {
	d, err := s.engine.Drain(ctx, engine.Drain{
		Drain: decide.Drain{Provider: r.GetProvider(), Model: r.GetModel()}, Reason: r.GetReason(), Author: r.GetAuthor(),
	})
	if err != nil {
		return nil, err
	}
	return &routerv1.DrainResponse{Drain: fromDrain(d)}, nil
}

// Resume ends a drain.
func (s *routerServer) Resume(ctx context.Context, r *routerv1.ResumeRequest) (*routerv1.ResumeResponse, error) {
	err := s.engine.Resume(ctx, engine.Drain{
		Drain: decide.Drain{Provider: r.GetProvider(), Model: r.GetModel()}, Reason: r.GetReason(), Author: r.GetAuthor(),
	})
	if err != nil {
		return nil, err
	}
	return &routerv1.ResumeResponse{}, nil
}

func fromDrain(d engine.Drain) *routerv1.Drain {
	return &routerv1.Drain{Provider: d.Provider, Model: d.Model, Reason: d.Reason, Author: d.Author, Since: timestamppb.New(d.Since)}
}

// toDrainSnapshot leaves out the reasons, because proxies show them to clients of every
// account.
func toDrainSnapshot(d *engine.Drains) *routerv1.DrainSnapshot {
	out := &routerv1.DrainSnapshot{}
	for _, one := range d.All {
		out.Drains = append(out.Drains, &routerv1.Drain{Provider: one.Provider, Model: one.Model})
	}
	return out
}
