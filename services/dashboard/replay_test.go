package dashboard_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/decidepb"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
)

// Replay repeats the recorded decision for the first question and picks a more
// expensive model for all others.
func (p *policies) Replay(s grpc.BidiStreamingServer[routerv1.ReplayRequest, routerv1.ReplayResponse]) error {
	for n := 0; ; n++ {
		r, err := s.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			_ = p.hear(r)
		}
		target := r.GetChosen()
		cost := int64(100)
		if n > 0 || target == nil {
			target, cost = &routerv1.Candidate{Model: "huge", Provider: "mine"}, 100+int64(n)
		}
		err = s.Send(&routerv1.ReplayResponse{
			Id: r.GetId(), CostNanoUsd: &cost, ChosenNanoUsd: proto.Int64(100), Decision: &routerv1.Decision{
				Plan: []*routerv1.Candidate{target}, PolicyVersion: "draft", Reason: &routerv1.Reason{Text: "why"},
				Verdicts: []*routerv1.Verdict{{Candidate: target, Code: "CHOSEN", Quality: 840, LatencyUs: 310_000}},
			}})
		if err != nil {
			return err
		}
	}
}

func TestRecordsAreReplayed(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	account := o.api("GET", "/account", "").json(t)["id"].(string)
	first := full(account)
	all := []*recordv1.RequestRecord{first, bare(account)}
	// Two more pages, older than the first.
	for n := range 600 {
		r := full(account)
		r.Id[5], r.Id[14], r.Id[15] = 0, byte(n>>8), byte(n)
		all = append(all, r)
	}
	h.publish(all...)
	a := o.api("POST", "/policy/replay", `{"from":"2026-11-01","to":"2026-11-15"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	got := a.json(t)
	require.Equal(t, "draft", got["policy_version"])
	for name, want := range map[string]int{
		"requests": 601, "rerouted": 600, "skipped": 1, "before_nano_usd": 60_100, "after_nano_usd": 60_100 + 600*601/2,
		"difference_nano_usd": 600 * 601 / 2, "unpriced": 0, "refused": 0, "served": 0, "quality_difference": 100, "latency_difference_us": 0,
	} {
		require.EqualValues(t, want, got[name], name)
	}
	require.Equal(t, false, got["truncated"])
	require.Len(t, got["costlier"], 20)
	loser := got["costlier"].([]any)[0].(map[string]any)
	require.EqualValues(t, 600, loser["difference_nano_usd"])
	require.Equal(t, "small", loser["before"].(map[string]any)["model"])
	require.Equal(t, "huge", loser["after"].(map[string]any)["model"])
	for _, by := range []string{"routes", "models", "keys"} {
		group := got[by].([]any)[0].(map[string]any)
		require.EqualValues(t, 600, group["rerouted"], by)
	}

	asked := h.policies.heard().(*routerv1.ReplayRequest)
	require.Equal(t, first.GetId(), asked.GetId(), "the newest first")
	in := first.GetDecisionInputs()
	target := &routerv1.Candidate{Model: "small", Provider: "alpha"}
	require.Empty(t, asked.GetDocument())
	want := &routerv1.ReplayRequest{
		Id: first.GetId(), PolicyVersion: "p1", Chosen: &routerv1.Candidate{Model: "small", Provider: "alpha", Effort: "low"},
		Used: &routerv1.Usage{Input: 1204, CacheRead: 10, CacheWrite: 20, CacheWrite_1H: 5, Output: 88},
		Health: []*routerv1.CandidateHealth{
			{Candidate: target, Down: "breaker open", LatencyUs: 310_000}, {Candidate: &routerv1.Candidate{Model: "tiny", Provider: "alpha"}},
		},
		Question: &routerv1.Question{
			Endpoint: routerv1.Endpoint_ENDPOINT_CHAT, Model: "auto", Needs: in.GetNeeds(), InputTokens: 90, At: in.GetAt(),
			BudgetUsed: in.BudgetUsed, Metadata: in.GetMetadata(), Sticky: &routerv1.Candidate{Model: "small", Provider: "beta"}, Seed: in.GetSeed(),
			Predictor: "priors-1", Qualities: fromMap(in.GetQualities()), Features: fromMap(first.GetFeatures()),
			NativeProtocol: "messages", NativeOnly: []string{"signature"}, Issuer: "two", MaxCostNanoUsd: proto.Int64(500_000_000), OwnEffort: true,
			Session: &routerv1.Session{
				Last: &routerv1.Candidate{Model: "small", Provider: "beta"}, LastAt: 1794664900, Turns: 4, ToolLoop: true, MarksCache: true, AddedTokens: 700, OutputTokens: 90,
				Cached: []*routerv1.CachedPrefix{{Candidate: &routerv1.Candidate{Model: "small", Provider: "beta"}, Tokens: 1180, Expires: 1794665200}},
			},
			Caller: &routerv1.Caller{AccountId: account, KeyId: "key_1", Tags: []string{"eu"}},
		},
	}
	require.True(t, proto.Equal(want, asked), fmt.Sprint(asked))
}

func fromMap(values map[string]int64) []*routerv1.NamedValue {
	return decidepb.FromNamedValues(decide.NamedValuesFromMap(values))
}

func TestWhatCannotBeReplayed(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	got := o.api("POST", "/policy/replay", `{}`).json(t)
	require.EqualValues(t, 0, got["requests"])
	require.Nil(t, got["policy_version"])
	details := o.api("POST", "/policy/replay", `{"document":"d"}`).requireError(t, http.StatusUnprocessableEntity, "POLICY_INVALID")
	require.Equal(t, "SYNTAX", details["problems"].([]any)[0].(map[string]any)["code"])
	o.api("POST", "/policy/replay", `{"from":"soon"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestTheFrontierReplaysEveryPositionOfTheDial(t *testing.T) {
	h := newTestEnv(t, "")
	o := h.claimOperator()
	account := o.api("GET", "/account", "").json(t)["id"].(string)
	first := full(account)
	explicit := full(account)
	explicit.Id[15]++
	explicit.RequestedModel = "small"
	h.publish(first, explicit, bare(account))
	got := o.api("GET", "/policy/frontier?from=2026-11-01&to=2026-11-15", "").json(t)
	require.EqualValues(t, 1, got["requests"], got)
	require.Equal(t, "auto", h.policies.heard().(*routerv1.ReplayRequest).GetQuestion().GetModel())
	names := map[string]float64{}
	for _, p := range got["points"].([]any) {
		point := p.(map[string]any)
		names[point["name"].(string)] = point["cost_nano_usd"].(float64)
	}
	require.Equal(t, map[string]float64{"today": 100, "economy": 101, "balanced": 102, "quality": 103}, names, "the quality of the default model is unknown")
}
