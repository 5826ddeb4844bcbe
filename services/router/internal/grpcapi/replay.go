package grpcapi

import (
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Replay responds in the order of the requests. A client must receive while it sends.
// Otherwise both sides block when the buffers of the stream are full.
func (s *policyServer) Replay(stream grpc.BidiStreamingServer[routerv1.ReplayRequest, routerv1.ReplayResponse]) error {
	var replay *engine.Replay
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if replay == nil {
			if replay, err = s.engine.NewReplay(r.GetDocument()); err != nil {
				return err
			}
		}
		past, err := toRecordedRequest(r)
		if err != nil {
			return err
		}
		again, err := replay.Decide(stream.Context(), past)
		if err != nil {
			return err
		}
		if err := stream.Send(fromReplayResult(r.GetId(), again)); err != nil {
			return err
		}
	}
}

func toRecordedRequest(r *routerv1.ReplayRequest) (engine.RecordedRequest, error) {
	q, err := decidepb.ToQuestion(r.GetQuestion())
	past := engine.RecordedRequest{Question: q, Health: toRecordedHealth(r.GetHealth()), PolicyVersion: r.GetPolicyVersion()}
	if u := r.GetUsed(); u != nil {
		past.Usage = &catalog.Usage{
			Input: u.GetInput(), CacheRead: u.GetCacheRead(), CacheWrite: u.GetCacheWrite(), CacheWrite1h: u.GetCacheWrite_1H(), Output: u.GetOutput(),
		}
	}
	if r.GetChosen() != nil {
		chosen := decidepb.ToCandidate(r.GetChosen())
		past.Chosen = &chosen
	}
	return past, err
}

func fromReplayResult(id []byte, a engine.ReplayResult) *routerv1.ReplayResponse {
	out := &routerv1.ReplayResponse{Id: id, CostNanoUsd: a.Cost, ChosenNanoUsd: a.OriginalCost}
	if a.Refusal != nil {
		out.Refusal = decidepb.FromRefusal(a.Refusal)
		return out
	}
	out.Decision = decidepb.FromDecision(a.Decision)
	return out
}

// recordedHealth is the health of the candidates at the time of a recorded request.
type recordedHealth map[decide.Candidate]*routerv1.CandidateHealth

func toRecordedHealth(all []*routerv1.CandidateHealth) recordedHealth {
	h := make(recordedHealth, len(all))
	for _, one := range all {
		h[decidepb.ToCandidate(one.GetCandidate()).Endpoint()] = one
	}
	return h
}

// DownReason returns why a candidate was down. It returns an empty string if the
// candidate was healthy.
func (h recordedHealth) DownReason(c decide.Candidate) string { return h[c].GetDown() }

// Latency returns the expected time to the first token in microseconds, 0 if unknown.
func (h recordedHealth) Latency(c decide.Candidate) int64 { return h[c].GetLatencyUs() }
