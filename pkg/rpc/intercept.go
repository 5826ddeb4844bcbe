package rpc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
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
	stream := &serverStream{ServerStream: ss, ctx: ctx}
	handle := func() error { return guard(func() error { return handler(srv, stream) }) }
	var err error
	if info.IsClientStream {
		err = stream.attend(handle, s.draining)
	} else {
		err = handle()
	}
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

	// mu is held while a message is sent; over is set when the stream was given
	// up under its handler.
	mu   sync.Mutex
	over bool
}

func (s *serverStream) Context() context.Context { return s.ctx }

// SendMsg sends nothing on a stream that was given up.
func (s *serverStream) SendMsg(m any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errDraining
	}
	return s.ServerStream.SendMsg(m)
}

// attend runs a handler that may wait for its client's next message, which
// nothing but the end of the stream can interrupt. When the server drains, the
// stream is ended under it: its receive fails then, and it returns by itself.
// One goroutine a stream: one a message would double what a message costs.
func (s *serverStream) attend(handle func() error, draining context.Context) error {
	done := make(chan error, 1)
	go func() { done <- handle() }()
	select {
	case err := <-done:
		return err
	case <-draining.Done():
	}
	<-s.ctx.Done() // which the draining ends as well
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return errDraining
}
