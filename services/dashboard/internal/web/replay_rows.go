package web

import (
	"github.com/signalbox/signalbox/pkg/decide"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

// toReplay is what a record keeps of its decision, for the router.
func toReplay(r *record.Record) *routerv1.ReplayRequest {
	m := &routerv1.ReplayRequest{Id: r.ID[:], Question: toQuestion(r), PolicyVersion: r.PolicyVersion, Used: &routerv1.Usage{
		Input: r.Tokens.Input, CacheRead: r.Tokens.CacheRead, CacheWrite: r.Tokens.CacheWrite, CacheWrite_1H: r.Tokens.CacheWrite1h, Output: r.Tokens.Output,
	}}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		target := &routerv1.Target{Model: c.Model, Provider: c.Provider}
		m.Health = append(m.Health, &routerv1.TargetHealth{Target: target, Down: c.Down, LatencyUs: c.Latency})
		if c.Verdict == decide.Chosen {
			m.Chosen = target
		}
	}
	return m
}

func toQuestion(r *record.Record) *routerv1.Question {
	in := r.Inputs
	q := &routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: r.RequestedModel, Needs: in.Needs,
		InputTokens: in.InputTokens, MaxOutputTokens: in.MaxOutputTokens, Features: r.Features, Seed: in.Seed,
		At: in.At, BudgetUsed: in.BudgetUsed, Metadata: in.Metadata, Qualities: in.Qualities, Predictor: in.Predictor,
		Asker: &routerv1.Asker{
			AccountId: r.AccountID, KeyId: r.KeyID, Tags: in.Tags, Models: in.Models,
			MaySwapModel: in.MaySwapModel, BaselineModel: in.BaselineModel,
		},
	}
	if r.Endpoint == "embeddings" {
		q.Endpoint = routerv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	if in.StickyModel != "" {
		q.Sticky = &routerv1.Target{Model: in.StickyModel, Provider: in.StickyProvider}
	}
	return q
}

// toRow holds what was decided against what would have been.
func toRow(r *record.Record, a *routerv1.ReplayResponse) replay.Row {
	return replay.Row{
		ID: r.ID.String(), Route: r.RequestedModel, Key: r.KeyID, KeyName: r.KeyName,
		Before: before(r, a.ChosenNanoUsd), After: afterwards(a),
	}
}

func before(r *record.Record, cost *int64) replay.Side {
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Verdict == decide.Chosen {
			return replay.Side{
				Target: replay.Target{Model: c.Model, Provider: c.Provider}, Cost: cost, Quality: c.Quality, Latency: c.Latency, Reason: r.Reason.Text,
			}
		}
	}
	return replay.Side{Code: r.Code, Reason: r.Error}
}

func afterwards(a *routerv1.ReplayResponse) replay.Side {
	d := a.GetDecision()
	if d == nil {
		return replay.Side{Code: a.GetRefusal().GetCode(), Reason: a.GetRefusal().GetMessage()}
	}
	first := d.GetPlan()[0]
	s := replay.Side{
		Target: replay.Target{Model: first.GetModel(), Provider: first.GetProvider()}, Cost: a.CostNanoUsd, Reason: d.GetReason().GetText(),
	}
	for _, v := range d.GetVerdicts() {
		if v.GetCode() == decide.Chosen {
			s.Quality, s.Latency = v.GetQuality(), v.GetLatencyUs()
		}
	}
	return s
}
