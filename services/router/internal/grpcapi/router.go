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
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

// Register adds both services to a server.
func Register(r grpc.ServiceRegistrar, e *engine.Engine, l *evidence.Learner, times DecisionTimes) {
	routerv1.RegisterRouterServiceServer(r, &routerServer{engine: e, learner: l, times: times})
	routerv1.RegisterPolicyServiceServer(r, &policyServer{engine: e})
}

type routerServer struct {
	routerv1.UnimplementedRouterServiceServer
	engine  *engine.Engine
	learner *evidence.Learner
	times   DecisionTimes
}

// Decide returns the decision for one request. Like DecideStream, it does not repeat the features
// of the question.
func (s *routerServer) Decide(_ context.Context, r *routerv1.DecideRequest) (*routerv1.DecideResponse, error) {
	d, err := s.decide(new(engine.Scratch), r)
	if err != nil {
		return nil, err
	}
	return &routerv1.DecideResponse{Decision: decidepb.FromDecision(d)}, nil
}

// DecideStream responds in the order of the questions. A decision takes microseconds, so
// a goroutine per question would only add cost.
func (s *routerServer) DecideStream(stream grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	var scratch engine.Scratch
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		d, err := s.decide(&scratch, r.GetRequest())
		if err := stream.Send(toStreamResponse(r.GetId(), d, err)); err != nil {
			return err
		}
	}
}

// decide returns a decision that is valid until the next use of scratch, without the features
// that the question has. If the request is rejected, the decision has no plan, or is nil if the
// question is invalid.
func (s *routerServer) decide(scratch *engine.Scratch, r *routerv1.DecideRequest) (*decide.Decision, error) {
	began := time.Now()
	d, err := s.decideWithoutTime(scratch, r)
	s.times.observe(time.Since(began), err)
	return d, err
}

func (s *routerServer) decideWithoutTime(scratch *engine.Scratch, r *routerv1.DecideRequest) (*decide.Decision, error) {
	q := r.GetQuestion()
	question, err := decidepb.ToQuestion(q)
	if err != nil {
		return nil, err
	}
	asked := question.Features
	d, err := s.engine.DecideConversationInto(scratch, &question, engine.Chosen{
		Text: q.GetExcerpt(), Conversation: q.GetConversation(), Version: r.GetPolicyVersion(),
	})
	if d != nil {
		d.Features = d.Features.Without(asked)
	}
	return d, err
}

func toStreamResponse(id uint64, d *decide.Decision, err error) *routerv1.DecideStreamResponse {
	if err == nil {
		response := &routerv1.DecideResponse{Decision: decidepb.FromDecision(d)}
		return &routerv1.DecideStreamResponse{Id: id, Result: &routerv1.DecideStreamResponse_Response{Response: response}}
	}
	refusal := decidepb.FromRefusal(err)
	if d != nil && d.PolicyVersion != "" {
		refusal.Known = decidepb.FromDecision(d)
	}
	return &routerv1.DecideStreamResponse{Id: id, Result: &routerv1.DecideStreamResponse_Refusal{Refusal: refusal}}
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
		if c := r.GetCredentials(); c != nil {
			s.engine.ReportCredentials(r.GetProxy(), toCredentials(c))
		}
		for _, o := range r.GetOutcomes() {
			s.engine.Report(engine.Outcome{
				Candidate: decidepb.ToCandidate(o.GetCandidate()), Code: apperr.Code(o.GetCode()),
				FirstToken: time.Duration(o.GetFirstTokenUs()) * time.Microsecond,
				Duration:   time.Duration(o.GetLatencyUs()) * time.Microsecond,
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
			Candidate: decidepb.FromCandidate(t.Candidate), Succeeded: t.Succeeded, Failed: t.Failed, LastCode: string(t.LastCode),
			Down: t.DownReason, LatencyUs: t.Latency, FirstTokenUs: t.FirstToken,
		}
		if !t.LastFailure.IsZero() {
			st.LastFailure = timestamppb.New(t.LastFailure)
		}
		r.Candidates = append(r.Candidates, st)
	}
	for _, d := range s.engine.Drains().All {
		r.Drains = append(r.Drains, fromDrain(d))
	}
	r.Credentials = fromCredentials(s.engine.Credentials())
	return r, nil
}
