package rpc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

const (
	// defaultTimeout is for calls whose caller set no deadline.
	defaultTimeout = 10 * time.Second
	// wayBack is the share of the time left that is kept so that the answer
	// arrives before the caller gives up; maxWayBack is the most of it. A
	// share, because the budget of a routing decision is only 25 ms.
	wayBack    = 20
	maxWayBack = 20 * time.Millisecond
	// leastTime is what a call needs to be worth starting.
	leastTime = time.Millisecond
)

// errDraining is why a stream ends when its server stops.
var errDraining = errors.New("the server is stopping")

// panicked is the error of a call that panicked.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// guard makes a panic an error.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if isHealth(info.FullMethod) {
		return handler(ctx, req)
	}
	if err := s.admit(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	ctx, cancel, err := withDeadline(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var resp any
	err = guard(func() (err error) {
		resp, err = handler(ctx, req)
		return err
	})
	if err != nil {
		return nil, s.outgoing(ctx, info.FullMethod, err)
	}
	return resp, nil
}

func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := s.admit(ss.Context(), info.FullMethod); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ss.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.draining, func() { cancel(errDraining) })()
	err := guard(func() error {
		return handler(srv, &serverStream{ServerStream: ss, ctx: ctx, waits: info.IsClientStream})
	})
	switch {
	case err == nil:
		return nil
	case !isHealth(info.FullMethod):
		return s.outgoing(ctx, info.FullMethod, err)
	case s.draining.Err() != nil:
		_ = ss.SendMsg(&healthv1.HealthCheckResponse{Status: healthv1.HealthCheckResponse_NOT_SERVING})
	}
	return err
}

// isHealth finds the calls of gRPC's own health service, whose statuses are
// for probes and must stay as they are.
func isHealth(method string) bool {
	return strings.HasPrefix(method, "/"+healthv1.Health_ServiceDesc.ServiceName+"/")
}

// withDeadline gives the call a deadline a little before its caller's.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
		return ctx, cancel, nil
	}
	left := time.Until(deadline)
	if left < leastTime {
		return nil, nil, status.Error(codes.DeadlineExceeded, "too little time left to begin")
	}
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(-min(left/wayBack, maxWayBack)))
	return ctx, cancel, nil
}

// serverStream ends when its server drains: streams live long, and each of
// them would use up the whole grace.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context
	// waits is whether the handler may wait for the client's next message.
	waits bool
}

func (s *serverStream) Context() context.Context { return s.ctx }

// RecvMsg returns early when the server drains. The receive left behind ends
// with the stream, that is when the handler returns.
func (s *serverStream) RecvMsg(m any) error {
	if !s.waits {
		return s.ServerStream.RecvMsg(m)
	}
	received := make(chan error, 1)
	go func() { received <- s.ServerStream.RecvMsg(m) }()
	select {
	case err := <-received:
		return err
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}
