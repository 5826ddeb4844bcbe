package grpcapi

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/policy"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// heartbeatInterval is the time between two empty messages. They show the client that the
// stream still works.
const heartbeatInterval = time.Second

// WatchPolicy sends the active policy, unless the caller already has it. After each
// change it sends the policy that is active then. If the policy changes several times in
// quick succession, it may skip versions. It sends the rollout and the drains in the first
// message and after each change of them. In between it sends empty messages as
// heartbeats.
func (s *routerServer) WatchPolicy(r *routerv1.WatchPolicyRequest, stream grpc.ServerStreamingServer[routerv1.WatchPolicyResponse]) error {
	beat := time.NewTicker(heartbeatInterval)
	defer beat.Stop()
	have, first := r.GetHave(), true
	var canary *engine.Canary
	var drains *engine.Drains
	for {
		active, changed := s.engine.Active()
		msg := &routerv1.WatchPolicyResponse{}
		if active.Policy.Version() != have {
			have = active.Policy.Version()
			msg.Snapshot = toSnapshot(active.Policy, active.Since)
		}
		if first || active.Canary != canary {
			canary, first = active.Canary, false
			msg.Rollout = toRolloutSnapshot(canary)
		}
		if now := s.engine.Drains(); now != drains {
			drains = now
			msg.Drains = toDrainSnapshot(now)
		}
		if err := stream.Send(msg); err != nil {
			return err
		}
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-changed:
		case <-beat.C:
		}
	}
}

func toSnapshot(p *policy.Policy, since time.Time) *routerv1.PolicySnapshot {
	return &routerv1.PolicySnapshot{Version: p.Version(), Compiled: p.Canonical(), ActivatedAt: timestamppb.New(since)}
}

// toRolloutSnapshot returns a message without an id if there is no rollout.
func toRolloutSnapshot(c *engine.Canary) *routerv1.RolloutSnapshot {
	if c == nil {
		return &routerv1.RolloutSnapshot{}
	}
	return &routerv1.RolloutSnapshot{Id: c.ID, Share: c.Share, Candidate: toSnapshot(c.Policy, c.Started)}
}
