package policies

import (
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
	"github.com/signalbox/signalbox/services/dashboard/internal/replay"
)

// toReplayRequest builds the router's input from the recorded decision.
func toReplayRequest(r *record.Record) *routerv1.ReplayRequest {
	m := &routerv1.ReplayRequest{Id: r.ID[:], Question: toQuestion(r), PolicyVersion: r.PolicyVersion, Used: &routerv1.Usage{
		Input: r.Tokens.Input, CacheRead: r.Tokens.CacheRead, CacheWrite: r.Tokens.CacheWrite, CacheWrite_1H: r.Tokens.CacheWrite1h, Output: r.Tokens.Output,
	}}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		m.Health = append(m.Health, &routerv1.CandidateHealth{
			Candidate: &routerv1.Candidate{Model: c.Model, Provider: c.Provider}, Down: c.DownReason, LatencyUs: c.Latency,
		})
		if c.Verdict == decide.Chosen {
			m.Chosen = &routerv1.Candidate{Model: c.Model, Provider: c.Provider, Effort: c.Effort}
		}
	}
	return m
}

func toQuestion(r *record.Record) *routerv1.Question {
	in := r.Inputs
	q := &routerv1.Question{
		Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: r.RequestedModel, Needs: in.Needs,
		InputTokens: in.InputTokens, MaxOutputTokens: in.MaxOutputTokens, Features: decidepb.FromNamedValues(decide.NamedValuesFromMap(r.Features)), Seed: in.Seed,
		At: in.At, BudgetUsed: in.BudgetUsed, Metadata: in.Metadata, Qualities: decidepb.FromNamedValues(decide.NamedValuesFromMap(in.Qualities)), Predictor: in.Predictor,
		NativeProtocol: in.NativeProtocol, NativeOnly: in.NativeOnly, Issuer: in.Issuer, Session: toSession(in.Session),
		MaxCostNanoUsd: in.MaxCost, OwnEffort: in.OwnEffort,
		Caller: &routerv1.Caller{
			AccountId: r.AccountID, KeyId: r.KeyID, Tags: in.Tags, Models: in.Models,
			MaySwapModel: in.MaySwapModel, BaselineModel: in.BaselineModel,
		},
	}
	if r.Endpoint == "embeddings" {
		q.Endpoint = routerv1.Endpoint_ENDPOINT_EMBEDDINGS
	}
	if in.StickyModel != "" {
		q.Sticky = &routerv1.Candidate{Model: in.StickyModel, Provider: in.StickyProvider}
	}
	return q
}

func toSession(s *record.SessionState) *routerv1.Session {
	if s == nil {
		return nil
	}
	out := &routerv1.Session{
		LastAt: s.LastAt, Turns: s.Turns, ToolLoop: s.ToolLoop, SideCall: s.SideCall, MarksCache: s.MarksCache,
		AddedTokens: s.AddedTokens, OutputTokens: s.OutputTokens,
	}
	if s.LastModel != "" {
		out.Last = &routerv1.Candidate{Model: s.LastModel, Provider: s.LastProvider}
	}
	for _, c := range s.Cached {
		out.Cached = append(out.Cached, &routerv1.CachedPrefix{Candidate: &routerv1.Candidate{Model: c.Model, Provider: c.Provider}, Tokens: c.Tokens, Expires: c.Expires})
	}
	return out
}

func toReplayRow(r *record.Record, a *routerv1.ReplayResponse) replay.Row {
	return replay.Row{
		ID: r.ID.String(), Route: r.RequestedModel, Key: r.KeyID, KeyName: r.KeyName,
		Before: recordedDecision(r, a.ChosenNanoUsd), After: replayedDecision(a),
	}
}

func recordedDecision(r *record.Record, cost *int64) replay.Decision {
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Verdict == decide.Chosen {
			return replay.Decision{
				Candidate: replay.Candidate{Model: c.Model, Provider: c.Provider, Effort: c.Effort}, Cost: cost, Quality: c.Quality, Latency: c.Latency, Reason: r.Reason.Text,
			}
		}
	}
	return replay.Decision{Code: r.Code, Reason: r.Error}
}

func replayedDecision(a *routerv1.ReplayResponse) replay.Decision {
	d := a.GetDecision()
	if d == nil {
		return replay.Decision{Code: a.GetRefusal().GetCode(), Reason: a.GetRefusal().GetMessage()}
	}
	first := d.GetPlan()[0]
	s := replay.Decision{
		Candidate: replay.Candidate{Model: first.GetModel(), Provider: first.GetProvider(), Effort: first.GetEffort()}, Cost: a.CostNanoUsd, Reason: d.GetReason().GetText(),
	}
	for _, v := range d.GetVerdicts() {
		if v.GetCode() == decide.Chosen {
			s.Quality, s.Latency = v.GetQuality(), v.GetLatencyUs()
		}
	}
	return s
}
