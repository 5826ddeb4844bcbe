package grpcapi

import (
	"context"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

const (
	maxEvidence         = 1000
	maxEvidenceFeatures = 200
	maxEvidenceID       = 200
	maxEvidenceSource   = 64
	maxEvidenceName     = 256
)

// ReportEvidence stores how good responses were. If an item is invalid, nothing is stored.
func (s *routerServer) ReportEvidence(ctx context.Context, r *routerv1.ReportEvidenceRequest) (*routerv1.ReportEvidenceResponse, error) {
	if len(r.GetEvidence()) > maxEvidence {
		return nil, apperr.New(apperr.InvalidRequest, fmt.Sprintf("a batch has at most %d items", maxEvidence))
	}
	var known []evidence.Outcome
	oldest := time.Now().Add(-evidence.MaxAge)
	for i, item := range r.GetEvidence() {
		if param := invalidParam(item); param != "" {
			return nil, apperr.New(apperr.InvalidRequest, "the item is invalid: "+param).With("index", i).With("param", param)
		}
		if o, ok := s.toOutcome(item); ok && o.Time.After(oldest) {
			known = append(known, o)
		}
	}
	added, err := s.learner.Report(ctx, known)
	if err != nil {
		return nil, err
	}
	n := int64(len(known))
	return &routerv1.ReportEvidenceResponse{Accepted: added, Duplicates: n - added, Ignored: int64(len(r.GetEvidence())) - n}, nil
}

// invalidParam returns the name of the first invalid field. It is empty if the item is valid.
func invalidParam(e *routerv1.Evidence) string {
	switch {
	case e.GetId() == "" || !isText(e.GetId(), maxEvidenceID):
		return "id"
	case e.GetAccountId() == "" || !isText(e.GetAccountId(), maxEvidenceName):
		return "account_id"
	case e.GetModel() == "" || !isText(e.GetModel(), maxEvidenceName):
		return "model"
	case len(e.GetFeatures()) > maxEvidenceFeatures:
		return "features"
	case e.GetScore() < 0 || e.GetScore() > 1000:
		return "score"
	case e.GetWeight() < 1 || e.GetWeight() > 1000:
		return "weight"
	case !isText(e.GetSource(), maxEvidenceSource):
		return "source"
	case !e.GetTime().IsValid():
		return "time"
	}
	return ""
}

// isText reports whether every store can hold the text; Postgres accepts no zero byte.
func isText(s string, limit int) bool { return len(s) <= limit && !strings.Contains(s, "\x00") }

// toOutcome adds what was predicted. It returns false if nothing was.
func (s *routerServer) toOutcome(e *routerv1.Evidence) (evidence.Outcome, bool) {
	predicted, topic, ok := s.engine.PredictShipped(e.GetModel(), decidepb.ToNamedValues(e.GetFeatures()))
	return evidence.Outcome{
		ID: e.GetId(), Account: e.GetAccountId(), Source: e.GetSource(), Model: e.GetModel(), Topic: topic,
		Predicted: predicted, Observed: e.GetScore(), Weight: e.GetWeight(), Time: e.GetTime().AsTime(),
	}, ok
}

// ListLearned returns the versions of the corrections.
func (s *routerServer) ListLearned(ctx context.Context, r *routerv1.ListLearnedRequest) (*routerv1.ListLearnedResponse, error) {
	limit := int(r.GetLimit())
	if limit <= 0 {
		limit = defaultVersions
	}
	all, selected, err := s.learner.Versions(ctx, min(limit, maxVersions))
	if err != nil {
		return nil, err
	}
	out := &routerv1.ListLearnedResponse{Active: selected.Version, Pinned: selected.Pinned}
	for _, v := range all {
		t, err := evidence.DecodeTable(v.Table)
		if err != nil {
			return nil, err
		}
		out.Versions = append(out.Versions, &routerv1.LearnedVersion{
			Version: v.Name, CreatedAt: timestamppb.New(v.Created), Shared: int64(len(t.Shared)), Accounts: int64(len(t.Accounts)),
		})
	}
	return out, nil
}

// UseLearned selects a version of the corrections.
func (s *routerServer) UseLearned(ctx context.Context, r *routerv1.UseLearnedRequest) (*routerv1.UseLearnedResponse, error) {
	selected, err := s.learner.Use(ctx, r.GetVersion(), r.GetAuthor())
	if err != nil {
		return nil, err
	}
	return &routerv1.UseLearnedResponse{Active: selected.Version}, nil
}
