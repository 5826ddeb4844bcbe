package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// outgoing is what the caller is told of a handler's error. What it is not
// told is logged here, once.
func (s *Server) outgoing(ctx context.Context, method string, err error) error {
	var ours *apperr.Error
	known := errors.As(err, &ours)
	switch {
	case !known && errors.Is(context.Cause(ctx), errDraining):
		return status.Error(codes.Unavailable, errDraining.Error())
	case !known && status.Code(err) == codes.Unimplemented:
		return err
	}
	s.logCause(ctx, method, err)
	if !known && ctx.Err() != nil && !isPanic(err) {
		return status.FromContextError(ctx.Err()).Err()
	}
	return apperr.ToGRPC(err)
}

// logCause logs errors of ours, not refusals. One that came with the end of
// the call is most likely its consequence.
func (s *Server) logCause(ctx context.Context, method string, err error) {
	code := apperr.CodeOf(err)
	level := slog.LevelWarn
	switch {
	case code.Spec().Status < 500:
		return
	case isPanic(err):
		level = slog.LevelError
	case ctx.Err() != nil:
		level = slog.LevelDebug
	case code == apperr.Internal:
		level = slog.LevelError
	}
	attrs := []slog.Attr{slog.String("method", method), slog.String("code", string(code)), slog.Any("error", err)}
	var p *panicked
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	s.log.LogAttrs(ctx, level, "call failed", attrs...)
}

func isPanic(err error) bool {
	var p *panicked
	return errors.As(err, &p)
}

// incoming rebuilds the peer's error. A passed deadline and a cancelled call
// become what they are in Go, so that callers need not know of gRPC; other
// failures of the transport stay as they are.
func incoming(err error) error {
	err = apperr.FromGRPC(err)
	var ours *apperr.Error
	if err == nil || errors.As(err, &ours) {
		return err
	}
	switch status.Code(err) {
	case codes.DeadlineExceeded:
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	case codes.Canceled:
		return fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return err
}
