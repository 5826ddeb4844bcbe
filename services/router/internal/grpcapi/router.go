// Package grpcapi is the router on the wire: RouterService for proxies and
// PolicyService for operators. It converts and passes on; what is decided is
// the engine's. Errors leave as they are, pkg/rpc makes them travel.
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
	routerv1.RegisterRouterServiceServer(r, &router{engine: e})
	routerv1.RegisterPolicyServiceServer(r, &policies{engine: e})
}

// Lanes are the streams that are also answered on one.
func Lanes(e *engine.Engine) map[string]func() lane.Answer {
	r := &router{engine: e}
	return map[string]func() lane.Answer{routerv1.RouterService_DecideStream_FullMethodName: r.lane}
}

type router struct {
	routerv1.UnimplementedRouterServiceServer
	engine *engine.Engine
}

// Decide makes the plan for one request.
func (s *router) Decide(_ context.Context, r *routerv1.DecideRequest) (*routerv1.DecideResponse, error) {
	q, err := toQuestion(r.GetQuestion())
	if err != nil {
		return nil, err
	}
	d, err := s.engine.Continue(q, r.GetQuestion().GetExcerpt(), r.GetQuestion().GetConversation())
	if err != nil {
		return nil, err
	}
	return &routerv1.DecideResponse{Decision: fromDecision(d)}, nil
}

// DecideStream answers in the order of the questions: a decision takes
// microseconds, so handing each to another goroutine would only cost. All are
// asked and answered in the same memory: SendMsg has written an answer when it
// returns, and the engine keeps nothing of a question but texts.
func (s *router) DecideStream(stream grpc.BidiStreamingServer[routerv1.DecideStreamRequest, routerv1.DecideStreamResponse]) error {
	var q decidewire.Question
	var a decidewire.Answer
	var room engine.Room
	for {
		err := stream.RecvMsg(&q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.answer(&room, &q, &a)
		if err := stream.SendMsg(&a); err != nil {
			return err
		}
	}
}

func (s *router) answer(room *engine.Room, q *decidewire.Question, a *decidewire.Answer) {
	*a = decidewire.Answer{ID: q.ID, Asked: q.Features}
	if q.Kind == "" {
		a.Refusal = unknownEndpoint()
		return
	}
	asked := q.Question
	d, err := s.engine.ContinueIn(room, &asked, q.Excerpt, q.Conversation)
	a.Decision, a.Refusal = *d, err
}

// lane is DecideStream on a lane.
func (s *router) lane() lane.Answer {
	var q decidewire.Question
	var a decidewire.Answer
	var room engine.Room
	return func(message string) (lane.Message, error) {
		if err := q.ReadMessage(message); err != nil {
			return nil, err
		}
		s.answer(&room, &q, &a)
		return &a, nil
	}
}

// ReportOutcomes takes outcomes until the proxy closes its side.
func (s *router) ReportOutcomes(stream grpc.ClientStreamingServer[routerv1.ReportOutcomesRequest, routerv1.ReportOutcomesResponse]) error {
	var taken int64
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&routerv1.ReportOutcomesResponse{Taken: taken})
		}
		if err != nil {
			return err
		}
		for _, o := range r.GetOutcomes() {
			s.engine.Report(engine.Outcome{
				Target: toTarget(o.GetTarget()), Code: apperr.Code(o.GetCode()),
				FirstToken: time.Duration(o.GetFirstTokenUs()) * time.Microsecond,
			})
			taken++
		}
	}
}

// Status shows the health of every target.
func (s *router) Status(context.Context, *routerv1.StatusRequest) (*routerv1.StatusResponse, error) {
	version, all := s.engine.Status()
	r := &routerv1.StatusResponse{PolicyVersion: version}
	for _, t := range all {
		st := &routerv1.TargetStatus{
			Target: fromTarget(t.Target), Succeeded: t.Succeeded, Failed: t.Failed, LastCode: string(t.LastCode),
			Down: t.Down, LatencyUs: t.Latency,
		}
		if !t.LastFailure.IsZero() {
			st.LastFailure = timestamppb.New(t.LastFailure)
		}
		r.Targets = append(r.Targets, st)
	}
	return r, nil
}

func unknownEndpoint() error {
	return apperr.New(apperr.InvalidRequest, "the endpoint is not known").With("param", "endpoint")
}
