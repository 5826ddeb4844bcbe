package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/evidence"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	// evidenceInterval is the time between two reports, and evidenceDelay the age of the
	// ratings in them: people sometimes change their rating at once, and the first one that
	// the router gets counts.
	evidenceInterval = 10 * time.Second
	evidenceDelay    = time.Minute
	// maxEvidenceItems is the number of ratings of one call.
	maxEvidenceItems = 500
)

// Learner receives evidence. The router client implements it.
type Learner interface {
	ReportEvidence(ctx context.Context, in *routerv1.ReportEvidenceRequest, opts ...grpc.CallOption) (*routerv1.ReportEvidenceResponse, error)
}

// FeedbackSource holds the ratings and whether the router knows them.
type FeedbackSource interface {
	UnreportedFeedback(ctx context.Context, before time.Time, limit int) ([]evidence.Item, map[uuid.UUID]*record.Record, error)
	MarkReported(ctx context.Context, items []evidence.Item) error
}

// EvidenceReporter reports ratings to the router, which learns from them. The store notes
// which ones are reported, so none is lost; the router ignores repetitions. Signals are not
// reported: they see only obvious faults, so by signals a cheap model looks as good as a
// strong one.
type EvidenceReporter struct {
	To   Learner
	From FeedbackSource
	Log  *slog.Logger
	// Now is the clock.
	Now func() time.Time
}

// Run sends reports until ctx ends. After failures it waits longer, up to a minute.
func (r *EvidenceReporter) Run(ctx context.Context) error {
	for failures := 0; ; {
		err := r.ReportPending(ctx)
		switch {
		case err == nil:
			failures = 0
		case failures == 0 && ctx.Err() == nil:
			r.Log.WarnContext(ctx, "reporting feedback to the router failed, will retry", "error", err)
			fallthrough
		default:
			failures = min(failures+1, 5)
		}
		select {
		case <-time.After(evidenceInterval * time.Duration(failures+1)):
		case <-ctx.Done():
			return nil
		}
	}
}

// ReportPending sends all ratings that the router does not know.
func (r *EvidenceReporter) ReportPending(ctx context.Context) error {
	for {
		items, requests, err := r.From.UnreportedFeedback(ctx, r.Now().Add(-evidenceDelay), maxEvidenceItems)
		if err != nil || len(items) == 0 {
			return err
		}
		var all []*routerv1.Evidence
		for i := range items {
			if e, ok := toEvidence(&items[i], requests[items[i].RequestID]); ok {
				all = append(all, e)
			}
		}
		if err := r.send(ctx, all); err != nil {
			return err
		}
		if err := r.From.MarkReported(ctx, items); err != nil {
			return err
		}
	}
}

// send sends evidence in one call. If the router rejects the call, send bisects it, so that
// one invalid item does not block the others.
func (r *EvidenceReporter) send(ctx context.Context, all []*routerv1.Evidence) error {
	if len(all) == 0 {
		return nil
	}
	return applyOrBisect(all, func(some []*routerv1.Evidence) error {
		ctx, cancel := context.WithTimeout(ctx, reportTimeout)
		defer cancel()
		_, err := r.To.ReportEvidence(ctx, &routerv1.ReportEvidenceRequest{Evidence: some})
		if apperr.Is(err, apperr.InvalidRequest) {
			return errors.Join(record.ErrRejected, err)
		}
		return err
	}, func(one *routerv1.Evidence, err error) error {
		r.Log.ErrorContext(ctx, "the router rejected a rating", "error", err, "account_id", one.GetAccountId(), "id", one.GetId())
		return nil
	})
}

// readText is the feature of every request whose text the router has read.
const readText = "lexical"

// toEvidence returns a rating for the router. It returns false if the router predicted
// nothing for the request, or if the rating has no weight.
func toEvidence(item *evidence.Item, r *record.Record) (*routerv1.Evidence, bool) {
	if r == nil || r.Features[readText] == 0 || item.Weight <= 0 {
		return nil, false
	}
	source := sha256.Sum256([]byte(item.Source))
	return &routerv1.Evidence{
		Id: item.RequestID.String() + ":" + hex.EncodeToString(source[:8]), AccountId: item.AccountID, Model: r.Model, Source: string(item.Kind),
		Features: decidepb.FromNamedValues(decide.NamedValuesFromMap(r.Features)), Score: item.Score, Weight: item.Weight,
		Time: timestamppb.New(r.Time),
	}, true
}
