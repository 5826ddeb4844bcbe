// Package grpcapi is the gRPC interface of the router: RouterService, mainly for proxies,
// and PolicyService for the dashboard and operators. It only converts messages; the
// engine decides. It returns apperr errors, which package rpc encodes.
package grpcapi

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decidewire"
	"github.com/signalbox/signalbox/pkg/lane"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
)

// Register adds both services to a server.
func Register(r grpc.ServiceRegistrar, e *engine.Engine) {
	routerv1.RegisterRouterServiceServer(r, &routerServer{engine: e})
	routerv1.RegisterPolicyServiceServer(r, &policyServer{engine: e})
}

// Lanes returns the streams that are also served over package lane.
func Lanes(e *engine.Engine) map[string]func() lane.Answer {
	r := &routerServer{engine: e}
	return map[string]func() lane.Answer{routerv1.RouterService_DecideStream_FullMethodName: r.lane}
}

type routerServer struct {
	routerv1.UnimplementedRouterServiceServer
	engine *engine.Engine
}

// Decide returns the decision for one request.
func (s *routerServer) Decide(_ context.Context, r *routerv1.DecideRequest) (*routerv1.DecideResponse, error) {
	q, err := toQuestion(r.GetQuestion())
	if err != nil {
		return nil, err
	}
	d, err := s.engine.DecideConversation(q, r.GetQuestion().GetExcerpt(), r.GetQuestion().GetConversation())
	if err != nil {
		return nil, err
	}
	return &routerv1.DecideResponse{Decision: fromDecision(d)}, nil
}

// DecideStream responds in the order of the questions. A decision takes
// microseconds, so a goroutine per question would only add cost. All questions use
// the same memory. This is safe, because SendMsg writes the response before it
// returns, and the engine retains only strings of a question.
func (s *routerServer) DecideStream(stream grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	var q decidewire.Question
	var a decidewire.Answer
	var scratch engine.Scratch
	for {
		err := stream.RecvMsg(&q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.decideQuestion(&scratch, &q, &a)
		if err := stream.SendMsg(&a); err != nil {
			return err
		}
	}
}

func (s *routerServer) decideQuestion(scratch *engine.Scratch, q *decidewire.Question, a *decidewire.Answer) {
	*a = decidewire.Answer{ID: q.ID, Asked: q.Features}
	if q.Kind == "" {
		a.Refusal = unknownEndpointError()
		return
	}
	question := q.Question
	d, err := s.engine.DecideConversationInto(scratch, &question, q.Excerpt, q.Conversation)
	a.Decision, a.Refusal = *d, err
}

// lane returns the handler that serves DecideStream over package lane.
func (s *routerServer) lane() lane.Answer {
	var q decidewire.Question
	var a decidewire.Answer
	var scratch engine.Scratch
	return func(message string) (lane.Message, error) {
		if err := q.ReadMessage(message); err != nil {
			return nil, err
		}
		s.decideQuestion(&scratch, &q, &a)
		return &a, nil
	}
}

// ReportOutcomes reads outcomes until the proxy closes its side.
func (s *routerServer) ReportOutcomes(stream grpc.ClientStreamingServer[routerv1.ReportOutcomesRequest, routerv1.ReportOutcomesResponse]) error {
	var taken int64
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&routerv1.ReportOutcomesResponse{Accepted: taken})
		}
		if err != nil {
			return err
		}
		for _, o := range r.GetOutcomes() {
			s.engine.Report(engine.Outcome{
				Candidate: toCandidate(o.GetCandidate()), Code: apperr.Code(o.GetCode()),
				FirstToken: time.Duration(o.GetFirstTokenUs()) * time.Microsecond,
			})
			taken++
		}
	}
}

// Status returns the health of the candidates of the active policy.
func (s *routerServer) Status(context.Context, *routerv1.StatusRequest) (*routerv1.StatusResponse, error) {
	version, all := s.engine.Status()
	r := &routerv1.StatusResponse{PolicyVersion: version}
	for _, t := range all {
		st := &routerv1.CandidateStatus{
			Candidate: fromCandidate(t.Candidate), Succeeded: t.Succeeded, Failed: t.Failed, LastCode: string(t.LastCode),
			Down: t.DownReason, LatencyUs: t.Latency,
		}
		if !t.LastFailure.IsZero() {
			st.LastFailure = timestamppb.New(t.LastFailure)
		}
		r.Candidates = append(r.Candidates, st)
	}
	return r, nil
}

func unknownEndpointError() error {
	return apperr.New(apperr.InvalidRequest, "unknown endpoint: use chat or embeddings").With("param", "endpoint")
}
