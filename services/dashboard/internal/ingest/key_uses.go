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
	// useInterval is the time between two reports. The last use that users see may
	// be out of date by that long. Reporting in batches saves keyauth one write per
	// request.
	useInterval = 2 * time.Second
	// maxReportItems is the maximum number of items in one call to keyauth.
	maxReportItems = 1000
	// maxPendingUses is the maximum number of keys with an unreported use. It limits
	// memory. The use of a further key is not reported.
	maxPendingUses = 20 * maxReportItems
	reportTimeout  = 5 * time.Second
	// finalReportTimeout limits the last report, so that it does not delay a
	// shutdown.
	finalReportTimeout = time.Second
)

// KeyUseService receives last uses. The keyauth client implements it.
type KeyUseService interface {
	ReportUse(ctx context.Context, in *keyauthv1.ReportUseRequest, opts ...grpc.CallOption) (*keyauthv1.ReportUseResponse, error)
}

// KeyUseReporter collects when and from where each key was last used, and
// reports it to keyauth in batches. Ingest never waits for a report. Uses that
// were not reported before the process ends are lost. A later use of the key
// replaces them.
type KeyUseReporter struct {
	to  KeyUseService
	log *slog.Logger

	mu      sync.Mutex
	pending map[accountKey]keyUse
}

type accountKey struct{ account, id string }

type keyUse struct {
	time    time.Time
	address string
}

// NewKeyUseReporter returns a reporter. Run sends its reports.
func NewKeyUseReporter(to KeyUseService, log *slog.Logger) *KeyUseReporter {
	return &KeyUseReporter{to: to, log: log, pending: map[accountKey]keyUse{}}
}

// noteUses notes the newest use of each key. It replaces a future time by the
// current time. A future time comes from a wrong clock and would hide later uses.
func (u *KeyUseReporter) noteUses(all []*record.Record) {
	now := time.Now()
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, r := range all {
		at := r.Time
		if at.After(now) {
			at = now
		}
		u.keepNewest(accountKey{r.AccountID, r.KeyID}, keyUse{at, r.ClientAddress})
	}
}

func (u *KeyUseReporter) keepNewest(k accountKey, one keyUse) {
	last, known := u.pending[k]
	if k.id == "" || known && !one.time.After(last.time) || !known && len(u.pending) >= maxPendingUses {
		return
	}
	u.pending[k] = one
}

// Run sends a batch every two seconds until ctx ends, and then one last batch.
func (u *KeyUseReporter) Run(ctx context.Context) error {
	tick := time.NewTicker(useInterval)
	defer tick.Stop()
	for failing := false; ; {
		select {
		case <-tick.C:
			err := u.reportBatch(ctx, reportTimeout)
			if err != nil && !failing && ctx.Err() == nil {
				u.log.Warn("reporting last key uses failed, will retry", "error", err)
			}
			failing = err != nil
		case <-ctx.Done():
			_ = u.reportBatch(context.WithoutCancel(ctx), finalReportTimeout)
			return nil
		}
	}
}

// reportBatch sends one batch. If the call fails, a later report retries the
// uses. If keyauth rejects the batch, reportBatch drops it, because keyauth would
// reject it again.
func (u *KeyUseReporter) reportBatch(ctx context.Context, limit time.Duration) error {
	batch := u.takeBatch()
	if len(batch) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := u.to.ReportUse(ctx, buildUseRequest(batch))
	var rejection *apperr.Error
	if errors.As(err, &rejection) && !rejection.Code.Spec().Retryable {
		u.log.Error("keyauth rejected the last uses of keys", "error", err, "keys", len(batch))
		return nil
	}
	if err != nil {
		u.putBack(batch)
	}
	return err
}

func (u *KeyUseReporter) takeBatch() map[accountKey]keyUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	batch := map[accountKey]keyUse{}
	for k, one := range u.pending {
		if len(batch) == maxReportItems {
			break
		}
		batch[k] = one
		delete(u.pending, k)
	}
	return batch
}

func (u *KeyUseReporter) putBack(batch map[accountKey]keyUse) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for k, one := range batch {
		u.keepNewest(k, one)
	}
}

func buildUseRequest(batch map[accountKey]keyUse) *keyauthv1.ReportUseRequest {
	req := &keyauthv1.ReportUseRequest{}
	for k, one := range batch {
		req.Uses = append(req.Uses, &keyauthv1.KeyUse{
			AccountId: k.account, KeyId: k.id, Time: timestamppb.New(one.time), Address: one.address,
		})
	}
	return req
}
