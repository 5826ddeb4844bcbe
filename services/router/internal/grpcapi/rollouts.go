package grpcapi

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/rollouts"
)

const (
	defaultRollouts = 20
	maxRollouts     = 100
)

var rolloutActions = map[routerv1.RolloutAction]string{
	routerv1.RolloutAction_ROLLOUT_ACTION_ADVANCE:   rollouts.ActionAdvance,
	routerv1.RolloutAction_ROLLOUT_ACTION_HALT:      rollouts.ActionHalt,
	routerv1.RolloutAction_ROLLOUT_ACTION_ROLL_BACK: rollouts.ActionRollBack,
}

// StartRollout begins a rollout.
func (s *policyServer) StartRollout(ctx context.Context, r *routerv1.StartRolloutRequest) (*routerv1.StartRolloutResponse, error) {
	made, err := s.engine.StartRollout(ctx, engine.RolloutDraft{
		Draft:   engine.Draft{Document: r.GetDocument(), Author: r.GetAuthor(), Note: r.GetNote(), ExpectedVersion: r.GetExpectedVersion()},
		Version: r.GetVersion(), Guardrails: toGuardrails(r.GetGuardrails()),
	})
	if err != nil {
		return nil, err
	}
	return &routerv1.StartRolloutResponse{Rollout: fromRollout(made)}, nil
}

// ChangeRollout advances, halts or rolls back the open rollout.
func (s *policyServer) ChangeRollout(ctx context.Context, r *routerv1.ChangeRolloutRequest) (*routerv1.ChangeRolloutResponse, error) {
	changed, err := s.engine.ChangeRollout(ctx, engine.RolloutChange{
		ID: r.GetId(), Revision: r.GetRevision(), Action: rolloutActions[r.GetAction()], Author: r.GetAuthor(), Reason: r.GetReason(),
	})
	if err != nil {
		return nil, err
	}
	return &routerv1.ChangeRolloutResponse{Rollout: fromRollout(changed)}, nil
}

// ListRollouts returns the rollouts, the newest first.
func (s *policyServer) ListRollouts(ctx context.Context, r *routerv1.ListRolloutsRequest) (*routerv1.ListRolloutsResponse, error) {
	limit := int(r.GetLimit())
	if limit <= 0 {
		limit = defaultRollouts
	}
	all, err := s.engine.Rollouts(ctx, min(limit, maxRollouts))
	if err != nil {
		return nil, err
	}
	out := &routerv1.ListRolloutsResponse{}
	for _, one := range all {
		out.Rollouts = append(out.Rollouts, fromRollout(one))
	}
	return out, nil
}

func fromRollout(r rollouts.Rollout) *routerv1.Rollout {
	out := &routerv1.Rollout{
		Id: r.ID, Revision: r.Revision, State: r.State, StableVersion: r.Stable, CandidateVersion: r.Candidate, Share: r.Share,
		StartedAt: timestamppb.New(r.Started), StepStartedAt: timestamppb.New(r.StepStarted), EndedAt: fromTime(r.Ended),
		Author: r.Author, Note: r.Note, Reason: r.Reason, Guardrails: fromGuardrails(r.Guardrails),
	}
	for _, e := range r.Events {
		out.Events = append(out.Events, &routerv1.RolloutEvent{
			Id: e.ID, Time: timestamppb.New(e.At), Action: e.Action, Share: e.Share, Author: e.Author, Reason: e.Reason,
		})
	}
	return out
}

// fromTime returns nil for the zero time.
func fromTime(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func fromGuardrails(g rollouts.Guardrails) *routerv1.Guardrails {
	return &routerv1.Guardrails{
		StepSeconds: g.StepSeconds, MaxStepSeconds: g.MaxStepSeconds, MinRequests: g.MinRequests, ErrorPoints: g.ErrorPoints,
		LatencyPercent: g.LatencyPercent, CostPercent: g.CostPercent, QualityPoints: g.QualityPoints, Manual: g.Manual,
	}
}

func toGuardrails(g *routerv1.Guardrails) rollouts.Guardrails {
	return rollouts.Guardrails{
		StepSeconds: g.GetStepSeconds(), MaxStepSeconds: g.GetMaxStepSeconds(), MinRequests: g.GetMinRequests(), ErrorPoints: g.GetErrorPoints(),
		LatencyPercent: g.GetLatencyPercent(), CostPercent: g.GetCostPercent(), QualityPoints: g.GetQualityPoints(), Manual: g.GetManual(),
	}
}
