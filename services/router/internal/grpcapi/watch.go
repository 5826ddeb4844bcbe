package grpcapi

import (
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// heartbeatInterval is the time between two empty messages. They show the client that the
// stream still works.
const heartbeatInterval = time.Second

// WatchPolicy sends the active policy, unless the caller already has it. After each
// change it sends the policy that is active then. If the policy changes several times in
// quick succession, it may skip versions. In between it sends empty messages as
// heartbeats.
func (s *routerServer) WatchPolicy(r *routerv1.WatchPolicyRequest, stream grpc.ServerStreamingServer[routerv1.WatchPolicyResponse]) error {
	beat := time.NewTicker(heartbeatInterval)
	defer beat.Stop()
	have := r.GetHave()
	for {
		active, changed := s.engine.Active()
		msg := &routerv1.WatchPolicyResponse{}
		if active.Policy.Version() != have {
			have = active.Policy.Version()
			msg.Snapshot = toSnapshot(active)
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

func toSnapshot(a engine.Active) *routerv1.PolicySnapshot {
	return &routerv1.PolicySnapshot{
		Version: a.Policy.Version(), Compiled: a.Policy.Canonical(), ActivatedAt: timestamppb.New(a.Since),
	}
}
