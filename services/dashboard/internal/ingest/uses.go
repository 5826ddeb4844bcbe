package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// reportEvery is how far a shown last use may lag behind, and spares the
	// account service a write per request.
	reportEvery = 2 * time.Second
	// reportMost is as many as one call may carry.
	reportMost = 1000
	// maxUses bounds memory. A key that finds no room is noted when it is used
	// again.
	maxUses       = 20 * reportMost
	reportTimeout = 5 * time.Second
	// farewell bounds the last report: nothing of it is worth a late stop.
	farewell = time.Second
)

// Reporter is told of last uses: keyauth, by its client.
type Reporter interface {
	ReportUse(ctx context.Context, in *keyauthv1.ReportUseRequest, opts ...grpc.CallOption) (*keyauthv1.ReportUseResponse, error)
}

// Uses notes when and from where each key was last used, and reports it in
// batches. It never holds up who notes. What it has not reported is lost with
// the process, and known again when the key is used again.
type Uses struct {
	to  Reporter
	log *slog.Logger

	mu      sync.Mutex
	pending map[key]use
}

type key struct{ account, id string }

type use struct {
	time    time.Time
	address string
}

// NewUses makes one that reports while Run runs.
func NewUses(to Reporter, log *slog.Logger) *Uses {
	return &Uses{to: to, log: log, pending: map[key]use{}}
}

// note keeps the newest use of each key. A time that has not come yet is a
// clock that is wrong, and would keep every later use from being shown.
func (u *Uses) note(all []*record.Record) {
	now := time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, r := range all {
		at := r.Time
		if at.After(now) {
			at = now
		}
		u.keep(key{r.AccountID, r.KeyID}, use{at, r.ClientAddress})
	}
}

func (u *Uses) keep(k key, one use) {
	last, known := u.pending[k]
	if k.id == "" || known && !one.time.After(last.time) || !known && len(u.pending) >= maxUses {
		return
	}
	u.pending[k] = one
}

// Run reports until ctx ends, and then once more.
func (u *Uses) Run(ctx context.Context) error {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	for away := false; ; {
		select {
		case <-tick.C:
			err := u.report(ctx, reportTimeout)
			if err != nil && !away && ctx.Err() == nil {
				u.log.Warn("last uses of keys cannot be reported; they are kept", "error", err)
			}
			away = err != nil
		case <-ctx.Done():
			_ = u.report(context.WithoutCancel(ctx), farewell)
			return nil
		}
	}
}

// report sends one batch. One that cannot be sent is kept for the next time;
// one that is refused would be refused for ever.
func (u *Uses) report(ctx context.Context, limit time.Duration) error {
	batch := u.take()
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := u.to.ReportUse(ctx, request(batch))
	var refused *apperr.Error
	if errors.As(err, &refused) && !refused.Code.Spec().Retryable {
		u.log.Error("last uses of keys are refused", "error", err, "keys", len(batch))
		return nil
	}
	if err != nil {
		u.putBack(batch)
	}
	return err
}

func (u *Uses) take() map[key]use {
	u.mu.Lock()
	defer u.mu.Unlock()
	batch := map[key]use{}
	for k, one := range u.pending {
		if len(batch) == reportMost {
			break
		}
		batch[k] = one
		delete(u.pending, k)
	}
	return batch
}

func (u *Uses) putBack(batch map[key]use) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, one := range batch {
		u.keep(k, one)
	}
}

func request(batch map[key]use) *keyauthv1.ReportUseRequest {
	req := &keyauthv1.ReportUseRequest{}
	for k, one := range batch {
		req.Uses = append(req.Uses, &keyauthv1.KeyUse{
			AccountId: k.account, KeyId: k.id, Time: timestamppb.New(one.time), Address: one.address,
		})
	}
	return req
}
