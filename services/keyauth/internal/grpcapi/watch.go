package grpcapi

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
)

const (
	// pollInterval is how often the change log is read, in order to find changes by
	// other instances. A revocation must reach every proxy within one second.
	pollInterval = 200 * time.Millisecond
	// heartbeatInterval is the interval of messages without content. If they stop, a
	// proxy treats the stream as broken.
	heartbeatInterval = time.Second
	// queryTimeout bounds one read of the change log.
	queryTimeout = 5 * time.Second
	// maxMessageBytes limits one message of changes. It is far below the limit of gRPC,
	// so that each message is sent quickly.
	maxMessageBytes = 1 << 20
)

// keyWatch is one WatchKeys stream. version and cursor are its positions in the change
// log and in the spend.
type keyWatch struct {
	domain  *account.Service
	stream  grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]
	version int64
	cursor  spend.Cursor
	groups  spend.GroupCursor
}

func (s *keyServer) WatchKeys(req *keyauthv1.WatchKeysRequest, stream grpc.ServerStreamingServer[keyauthv1.WatchKeysResponse]) error {
	w := &keyWatch{domain: s.domain, stream: stream}
	if err := w.start(stream.Context(), req.GetSinceVersion()); err != nil {
		return err
	}
	poll, beat := time.NewTicker(pollInterval), time.NewTicker(heartbeatInterval)
	defer poll.Stop()
	defer beat.Stop()
	for {
		// Get the channel before reading, so that no change in between is missed.
		changed := s.domain.NextChange()
		more, err := w.sendNew(stream.Context())
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
			if err := w.sendHeartbeat(); err != nil {
				return err
			}
		}
	}
}

func (w *keyWatch) start(ctx context.Context, since int64) (err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	if w.version, err = w.domain.Keys.StartVersion(ctx, since); err != nil {
		return err
	}
	return w.sendHeartbeat()
}

func (w *keyWatch) sendHeartbeat() error {
	return w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.version})
}

// sendNew sends new spend and new changes, and reports whether it sent any. It sends the
// spend first. Otherwise a proxy could receive a new budget without the spend, and would
// count from zero. It reads the spend last, so that the spend includes every budget in
// the changes.
func (w *keyWatch) sendNew(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	changes, err := w.domain.Keys.Changes(ctx, w.version)
	if err != nil {
		return false, err
	}
	spent, spendErr := w.readSpent(ctx)
	if len(spent) > 0 {
		if err := w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.version, Spent: spent}); err != nil {
			return false, err
		}
	}
	if err := w.sendChanges(changes); err != nil {
		return false, err
	}
	// Return spendErr only now, so that revocations are sent even if the spend cannot be read.
	return len(spent)+len(changes) > 0, spendErr
}

// readSpent reads the next page of the spend of keys and accounts, and of group budgets.
func (w *keyWatch) readSpent(ctx context.Context) ([]*keyauthv1.Spent, error) {
	list, next, err := w.domain.BudgetSpendSince(ctx, w.cursor)
	w.cursor = next
	groups, nextGroups, groupErr := w.domain.GroupSpendSince(ctx, w.groups)
	w.groups = nextGroups
	return append(mapSlice(list, spentToProto), mapSlice(groups, groupSpentToProto)...), errors.Join(err, groupErr)
}

func (w *keyWatch) sendChanges(changes []keyring.Change) error {
	for rest := changesToProto(changes); len(rest) > 0; {
		n := countThatFit(rest)
		w.version = rest[n-1].GetVersion()
		if err := w.stream.Send(&keyauthv1.WatchKeysResponse{Version: w.version, Changes: rest[:n]}); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// countThatFit returns how many of the changes fit into one message. It returns at least 1.
func countThatFit(changes []*keyauthv1.KeyChange) int {
	const frame = 16 // bytes for the version and the framing of a change
	size := frame
	for i, c := range changes {
		if size += proto.Size(c) + frame; size > maxMessageBytes && i > 0 {
			return i
		}
	}
	return len(changes)
}

func changesToProto(changes []keyring.Change) []*keyauthv1.KeyChange {
	return mapSlice(changes, func(c keyring.Change) *keyauthv1.KeyChange {
		out := &keyauthv1.KeyChange{Version: c.Version, AccountId: c.AccountID, KeyId: c.KeyID}
		if c.Principal != nil {
			out.Principal = principalToProto(*c.Principal)
		}
		return out
	})
}

func spentToProto(s spend.BudgetSpend) *keyauthv1.Spent {
	return &keyauthv1.Spent{
		AccountId: s.AccountID, KeyId: s.KeyID, Day: string(s.Day), DayNanoUsd: s.DayNanoUSD, MonthNanoUsd: s.MonthNanoUSD,
	}
}
