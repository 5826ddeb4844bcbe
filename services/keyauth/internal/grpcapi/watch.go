package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
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

// watch is one watcher: where it has got to in the change log, and in what is
// spent.
type watch struct {
	domain *account.Service
	stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]
	at     int64
	spent  account.Mark
}

func (s *keyServer) WatchKeys(req *keyauthv1.WatchKeysRequest, stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
	w := &watch{domain: s.domain, stream: stream}
	if err := w.start(stream.Context(), req.GetSinceVersion()); err != nil {
		return err
	}
	poll, beat := time.NewTicker(pollEvery), time.NewTicker(beatEvery)
	defer poll.Stop()
	defer beat.Stop()
	for {
		// Taken before the look, so that no change falls between the two.
		changed := s.domain.Changed()
		more, err := w.look(stream.Context())
		if err != nil {
			return err
		}
		if more {
			continue
		}
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-changed:
		case <-poll.C:
		case <-beat.C:
			if err := w.beat(); err != nil {
				return err
			}
		}
	}
}

func (w *watch) start(ctx context.Context, since int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	if w.at, err = w.domain.Start(ctx, since); err != nil {
		return err
	}
	return w.beat()
}

func (w *watch) beat() error { return w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.at}) }

// look sends what is new and reports whether there may be more. What is spent is
// read last and sent first: a proxy must not meet a budget before it knows what
// was spent without it, or it would begin to count at nothing.
func (w *watch) look(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	changes, err := w.domain.Changes(ctx, w.at)
	if err != nil {
		return false, err
	}
	spent, next, failure := w.domain.Spent(ctx, w.spent)
	w.spent = next
	if len(spent) > 0 {
		if err := w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.at, Spent: mapped(spent, spentToProto)}); err != nil {
			return false, err
		}
	}
	if err := w.sendChanges(changes); err != nil {
		return false, err
	}
	// A revocation does not wait for what cannot be read of money.
	return len(spent)+len(changes) > 0, failure
}

func (w *watch) sendChanges(changes []account.Change) error {
	for rest := changesToProto(changes); len(rest) > 0; {
		n := fits(rest)
		w.at = rest[n-1].GetVersion()
		if err := w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.at, Changes: rest[:n]}); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
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

func changesToProto(changes []account.Change) []*keyauthv1.KeyChange {
	return mapped(changes, func(c account.Change) *keyauthv1.KeyChange {
		out := &keyauthv1.KeyChange{Version: c.Version, AccountId: c.AccountID, KeyId: c.KeyID}
		if c.Principal != nil {
			out.Principal = principalToProto(*c.Principal)
		}
		return out
	})
}

func spentToProto(s account.Spent) *keyauthv1.Spent {
	return &keyauthv1.Spent{
		AccountId: s.AccountID, KeyId: s.KeyID, Day: string(s.Day), DayNanoUsd: s.DayNanoUSD, MonthNanoUsd: s.MonthNanoUSD,
	}
}
