package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

const (
	// pollEvery finds the changes of other instances. A revocation has one
	// second to reach every proxy; this leaves it most of that.
	pollEvery = 200 * time.Millisecond
	// beatEvery tells a watcher that silence means no changes.
	beatEvery = time.Second
	// lookLimit bounds one look at the change log.
	lookLimit = 5 * time.Second
	// maxMessage is how large a message of changes becomes: far below what
	// gRPC takes, and soon sent.
	maxMessage = 1 << 20
)

func (s *keyServer) VerifyKey(ctx context.Context, req *keyauthv1.VerifyKeyRequest) (*keyauthv1.VerifyKeyResponse, error) {
	var digest apikey.Digest
	if copy(digest[:], req.GetDigest()) != len(digest) || len(req.GetDigest()) != len(digest) {
		return nil, apperr.New(apperr.InvalidRequest, "a digest has 32 bytes").With("param", "digest")
	}
	p, err := s.domain.Verify(ctx, digest)
	if err != nil {
		return nil, err
	}
	return &keyauthv1.VerifyKeyResponse{Principal: principalToProto(p)}, nil
}

func (s *keyServer) WatchKeys(req *keyauthv1.WatchKeysRequest, stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
	ctx := stream.Context()
	at, err := s.start(ctx, req.GetSinceVersion())
	if err != nil {
		return err
	}
	if err := stream.Send(&keyauthv1.WatchKeysResponse{Version: at}); err != nil {
		return err
	}
	poll, beat := time.NewTicker(pollEvery), time.NewTicker(beatEvery)
	defer poll.Stop()
	defer beat.Stop()
	for {
		// Taken before the look, so that no change falls between the two.
		changed := s.domain.Changed()
		next, err := s.sendChanges(ctx, stream, at)
		if err != nil {
			return err
		}
		if next != at {
			at = next
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-poll.C:
		case <-beat.C:
			if err := stream.Send(&keyauthv1.WatchKeysResponse{Version: at}); err != nil {
				return err
			}
		}
	}
}

func (s *keyServer) start(ctx context.Context, since int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	return s.domain.Start(ctx, since)
}

// sendChanges sends what follows a version and returns the version reached.
func (s *keyServer) sendChanges(ctx context.Context, stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse], at int64) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	changes, err := s.domain.Changes(ctx, at)
	if err != nil || len(changes) == 0 {
		return at, err
	}
	for rest := changesToProto(changes); len(rest) > 0; {
		n := fits(rest)
		at = rest[n-1].GetVersion()
		if err := stream.Send(&keyauthv1.WatchKeysResponse{Version: at, Changes: rest[:n]}); err != nil {
			return at, err
		}
		rest = rest[n:]
	}
	return at, nil
}

// fits is how many of the changes go into one message; at least one.
func fits(changes []*keyauthv1.KeyChange) int {
	const frame = 16 // the version, and what is around a change
	size := frame
	for i, c := range changes {
		if size += proto.Size(c) + frame; size > maxMessage && i > 0 {
			return i
		}
	}
	return len(changes)
}
