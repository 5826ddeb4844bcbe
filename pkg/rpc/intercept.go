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
	// defaultTimeout applies to calls without a deadline.
	defaultTimeout = 10 * time.Second
	// responseMarginShare divides the remaining time of a call. The result, at most
	// maxResponseMargin, is reserved for the response to reach the caller. It is a share
	// and not fixed, because a routing decision has only 25 ms.
	responseMarginShare = 20
	maxResponseMargin   = 20 * time.Millisecond
	// minCallTime is the minimum remaining time with which a call starts.
	minCallTime = time.Millisecond
)

// errDraining is the error of streams that end because their server shuts down.
var errDraining = errors.New("the server is shutting down")

// panicError is the error of a call that panicked.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// recoverPanic converts a panic in f to an error.
func recoverPanic(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}

func (s *Server) handleUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if isHealth(info.FullMethod) {
		return handler(ctx, req)
	}
	began := time.Now()
	resp, err := s.serveUnary(ctx, req, info, handler)
	s.times.observe(info.FullMethod, began, err)
	return resp, err
}

func (s *Server) serveUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	if err := s.admit(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	ctx, cancel, err := withDeadline(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var resp any
	err = recoverPanic(func() (err error) {
		resp, err = handler(ctx, req)
		return err
	})
	if err != nil {
		return nil, s.toClientError(ctx, info.FullMethod, err)
	}
	return resp, nil
}

func (s *Server) handleStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if err := s.admit(ss.Context(), info.FullMethod); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ss.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.draining, func() { cancel(errDraining) })()
	stream := &serverStream{ServerStream: ss, ctx: ctx}
	handle := func() error { return recoverPanic(func() error { return handler(srv, stream) }) }
	var err error
	if info.IsClientStream {
		err = stream.handleUntilDrained(handle, s.draining)
	} else {
		err = handle()
	}
	switch {
	case err == nil:
		return nil
	case !isHealth(info.FullMethod):
		return s.toClientError(ctx, info.FullMethod, err)
	case s.draining.Err() != nil:
		_ = ss.SendMsg(&healthv1.HealthCheckResponse{Status: healthv1.HealthCheckResponse_NOT_SERVING})
	}
	return err
}

// isHealth matches gRPC's own health service. Probes depend on its statuses, so they must
// stay unchanged.
func isHealth(method string) bool {
	return strings.HasPrefix(method, "/"+healthv1.Health_ServiceDesc.ServiceName+"/")
}

// withDeadline sets a deadline slightly before the caller's.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc, error) {
	deadline, ok := ctx.Deadline()
	if !ok {
		ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
		return ctx, cancel, nil
	}
	left := time.Until(deadline)
	if left < minCallTime {
		return nil, nil, status.Error(codes.DeadlineExceeded, "not enough time left to start the call")
	}
	ctx, cancel := context.WithDeadline(ctx, deadline.Add(-min(left/responseMarginShare, maxResponseMargin)))
	return ctx, cancel, nil
}

// serverStream ends when its server drains. Streams are long-lived, so the server would
// otherwise wait for them until the grace period ends.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context

	// mu is held while a message is sent.
	mu sync.Mutex
	// abandoned is set when the stream has ended while its handler is still running.
	abandoned bool
}

func (s *serverStream) Context() context.Context { return s.ctx }

// SendMsg sends nothing on an abandoned stream.
func (s *serverStream) SendMsg(m any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.abandoned {
		return errDraining
	}
	return s.ServerStream.SendMsg(m)
}

// handleUntilDrained runs a handler that may wait for the client's next message. Only the
// end of the stream interrupts that wait. When the server drains, handleUntilDrained
// returns and the stream ends; then the handler's receive fails and the handler returns.
// It uses one goroutine per stream, because one per message would double the cost of a
// message.
func (s *serverStream) handleUntilDrained(handle func() error, draining context.Context) error {
	done := make(chan error, 1)
	go func() { done <- handle() }()
	select {
	case err := <-done:
		return err
	case <-draining.Done():
	}
	<-s.ctx.Done() // draining cancels the stream's context, too
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = true
	return errDraining
}
