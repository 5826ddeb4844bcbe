package grpcapi

import (
	"encoding/json"
	"errors"
	"io"

	"google.golang.org/grpc"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Replay answers in the order of the inputs. Who sends many must also receive:
// neither side holds more than the stream does.
func (s *policies) Replay(stream grpc.BidiStreamingServer[routerv1.ReplayRequest, routerv1.ReplayResponse]) error {
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
			if replay, err = s.engine.Replay(r.GetDocument()); err != nil {
				return err
			}
		}
		past, err := toPast(r)
		if err != nil {
			return err
		}
		again, err := replay.Decide(stream.Context(), past)
		if err != nil {
			return err
		}
		if err := stream.Send(fromAgain(r.GetId(), again)); err != nil {
			return err
		}
	}
}

func toPast(r *routerv1.ReplayRequest) (engine.Past, error) {
	q, err := toQuestion(r.GetQuestion())
	past := engine.Past{Question: q, Health: healthOf(r.GetHealth()), Version: r.GetPolicyVersion()}
	if u := r.GetUsed(); u != nil {
		past.Used = &catalog.Usage{
			Input: u.GetInput(), CacheRead: u.GetCacheRead(), CacheWrite: u.GetCacheWrite(), CacheWrite1h: u.GetCacheWrite_1H(), Output: u.GetOutput(),
		}
	}
	if r.GetChosen() != nil {
		chosen := toTarget(r.GetChosen())
		past.Chosen = &chosen
	}
	return past, err
}

func fromAgain(id []byte, a engine.Again) *routerv1.ReplayResponse {
	out := &routerv1.ReplayResponse{Id: id, CostNanoUsd: a.Cost, ChosenNanoUsd: a.Before}
	if a.Refusal != nil {
		out.Refusal = fromRefusal(a.Refusal)
		return out
	}
	out.Decision = fromDecision(a.Decision)
	return out
}

func fromRefusal(err error) *routerv1.Refusal {
	e := apperr.From(err)
	details, err := json.Marshal(e.Details)
	if err != nil || e.Details == nil {
		details = []byte("{}")
	}
	return &routerv1.Refusal{Code: string(e.Code), Message: e.Message, DetailsJson: string(details)}
}

// health is what was known of targets.
type health map[decide.Target]*routerv1.TargetHealth

func healthOf(all []*routerv1.TargetHealth) health {
	h := make(health, len(all))
	for _, one := range all {
		h[toTarget(one.GetTarget())] = one
	}
	return h
}

// Down is why a target was down.
func (h health) Down(t decide.Target) string { return h[t].GetDown() }

// Latency is what was expected of a target.
func (h health) Latency(t decide.Target) int64 { return h[t].GetLatencyUs() }
