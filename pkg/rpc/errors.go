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

// toClientError converts a handler's error for the caller. It logs the cause, which is
// not sent to the caller.
func (s *Server) toClientError(ctx context.Context, method string, err error) error {
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

// logCause logs server errors, but not rejected requests. An error after the end of a
// call is logged at debug level, because it is most likely a consequence of that end.
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
	var p *panicError
	if errors.As(err, &p) {
		attrs = append(attrs, slog.String("stack", string(p.stack)))
	}
	s.log.LogAttrs(ctx, level, "call failed", attrs...)
}

func isPanic(err error) bool {
	var p *panicError
	return errors.As(err, &p)
}

// fromPeerError converts the peer's error. An exceeded deadline and a cancelled call match
// the errors of package context, so that callers do not depend on gRPC. Other transport
// errors stay unchanged.
func fromPeerError(err error) error {
	if err == nil { // checked first, because every message of a stream comes here
		return nil
	}
	err = apperr.FromGRPC(err)
	var ours *apperr.Error
	if errors.As(err, &ours) {
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
