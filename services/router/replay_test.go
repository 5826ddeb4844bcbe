package router_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

const replayed = `version: 1
providers: {one: {kind: sandbox}, two: {kind: sandbox}}
models:
  small: {endpoints: [{provider: one, model: s}, {provider: two, model: s}], price: {input: "1", output: "2"}, context: 1000}
  large: {endpoints: [{provider: one, model: l}], price: {input: "10", output: "20"}, context: 100000}
defaults: {baseline: large, unlisted: deny}
routes:
  auto: {select: [{name: legal, when: {key.tag: legal}, target: large}, {name: no, when: {key.tag: no}, deny: "not you"}, {strategy: %s, candidates: [small, large]}]}
`

var used = &routerv1.Usage{Input: 1000, Output: 100}

// replay sends recorded inputs and returns the responses.
func replay(t testing.TB, c clients, all []*routerv1.ReplayRequest) []*routerv1.ReplayResponse {
	t.Helper()
	stream, err := c.policies.Replay(t.Context())
	require.NoError(t, err)
	sent := make(chan error, 1)
	go func() {
		for _, r := range all {
			if err := stream.Send(r); err != nil {
				sent <- err
				return
			}
		}
		sent <- stream.CloseSend()
	}()
	var got []*routerv1.ReplayResponse
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got = append(got, r)
	}
	require.NoError(t, <-sent)
	return got
}

// served sends questions of every kind and returns what is recorded of them.
func served(t testing.TB, c clients, n int) []*routerv1.ReplayRequest {
	t.Helper()
	var all []*routerv1.ReplayRequest
	for i := range n {
		q := ask("auto").GetQuestion()
		q.At, q.InputTokens, q.Seed = 1_794_700_000, int64(100+i%7*300), uint64(i)
		if i%5 == 0 {
			q.Caller.Tags = []string{"legal"}
		}
		answer, err := c.router.Decide(t.Context(), &routerv1.DecideRequest{Question: q})
		require.NoError(t, err)
		d := answer.GetDecision()
		q.Features, q.Qualities, q.Predictor = d.GetFeatures(), d.GetQualities(), d.GetPredictor()
		r := &routerv1.ReplayRequest{Id: fmt.Append(nil, i), Question: q, Used: used, Chosen: d.GetPlan()[0], PolicyVersion: d.GetPolicyVersion()}
		for _, v := range d.GetVerdicts() {
			r.Health = append(r.Health, &routerv1.CandidateHealth{Candidate: v.GetCandidate(), Down: v.GetDown(), LatencyUs: v.GetLatencyUs()})
		}
		all = append(all, r)
	}
	return all
}

func TestTheVersionInForceOverItsOwnRecordsChangesNothing(t *testing.T) {
	for _, strategy := range []string{"ordered", "cheapest", "quality", "fastest", "balanced", "weighted"} {
		t.Run(strategy, func(t *testing.T) {
			c := start(t, router.Config{})
			_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: fmt.Sprintf(replayed, strategy)})
			require.NoError(t, err)
			past := served(t, c, 100)
			got := replay(t, c, past)
			require.Len(t, got, len(past))
			for i, r := range got {
				require.Equal(t, past[i].GetId(), r.GetId())
				require.Equal(t, past[i].GetChosen().String(), r.GetDecision().GetPlan()[0].String())
				require.NotNil(t, r.CostNanoUsd)
				require.Equal(t, r.GetCostNanoUsd(), r.GetChosenNanoUsd())
			}
		})
	}
}

func TestADraftIsDecidedByWhatWasKnownThen(t *testing.T) {
	c := start(t, router.Config{})
	_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: fmt.Sprintf(replayed, "ordered")})
	require.NoError(t, err)
	past := served(t, c, 3)
	past[0].Question.Caller.Tags = []string{"no"}
	past[1].Health[0].Down = "breaker open"
	past[0].Document = fmt.Sprintf(replayed, "cheapest")
	past[2].PolicyVersion = "gone"
	got := replay(t, c, past)

	require.Equal(t, "POLICY_DENIED", got[0].GetRefusal().GetCode())
	require.Contains(t, got[0].GetRefusal().GetDetailsJson(), `"rule":"no"`)
	require.Nil(t, got[0].GetDecision())
	require.Nil(t, got[0].CostNanoUsd)

	require.Equal(t, "two", got[1].GetDecision().GetPlan()[0].GetProvider(), "one was down")
	require.Equal(t, "CHEAPEST", got[1].GetDecision().GetReason().GetCode(), "by the draft, not the version in force")
	require.Equal(t, int64(1000*1000+100*2000), got[1].GetCostNanoUsd())
	require.Equal(t, got[1].GetCostNanoUsd(), got[1].GetChosenNanoUsd())

	require.NotNil(t, got[2].CostNanoUsd)
	require.Nil(t, got[2].ChosenNanoUsd, "the prices of a version that is gone are not known")
}

func TestWhatWasChosenIsPricedByThePolicyOfThen(t *testing.T) {
	c := start(t, router.Config{})
	_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: fmt.Sprintf(replayed, "ordered")})
	require.NoError(t, err)
	past := served(t, c, 2)
	past[0].Document = "version: 1\nproviders: {one: {kind: sandbox}}\nmodels: {small: {endpoints: [{provider: one, model: s}], price: {input: \"3\", output: \"1\"}}}\ndefaults: {baseline: small, unlisted: deny}\nroutes: {auto: {select: [{target: small}]}}\n"
	got := replay(t, c, past)
	require.Equal(t, int64(3_000_000+100_000), got[0].GetCostNanoUsd())
	require.Equal(t, int64(10_000_000+2_000_000), got[0].GetChosenNanoUsd(), "a legal one went to large")
	require.Equal(t, int64(1_200_000), got[1].GetChosenNanoUsd())
}

func TestAFaultyDraftIsNotReplayed(t *testing.T) {
	c := start(t, router.Config{})
	stream, err := c.policies.Replay(bounded(t))
	require.NoError(t, err)
	require.NoError(t, stream.Send(&routerv1.ReplayRequest{Question: ask("auto").GetQuestion(), Document: "version: 1\nmodles: {}\n"}))
	_, err = stream.Recv()
	require.True(t, apperr.Is(err, apperr.PolicyInvalid), err)
}

func BenchmarkReplay(b *testing.B) {
	c := start(b, router.Config{})
	_, err := c.policies.Publish(b.Context(), &routerv1.PublishRequest{Document: fmt.Sprintf(replayed, "cheapest")})
	require.NoError(b, err)
	past := served(b, c, 10_000)
	for b.Loop() {
		require.Len(b, replay(b, c, past), len(past))
	}
	b.ReportMetric(float64(b.N*len(past))/b.Elapsed().Seconds(), "decisions/s")
}

// A request that was refused for its text is refused again without the text, because
// the refusal contains the features that were read.
func TestARefusalIsReplayedAsOne(t *testing.T) {
	c := start(t, router.Config{})
	made, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: "version: 1\nmodels: {sandbox-small: {}}\n" +
		"routes: {auto: {select: [{name: no-code, when: {feature.code: {gte: 200}}, deny: not here}, {target: sandbox-small}]}}\n"})
	require.NoError(t, err)
	stream, err := c.router.DecideStream(bounded(t))
	require.NoError(t, err)
	request := ask("auto")
	request.Question.Excerpt = "```go\nfunc main() { fmt.Println(1); x := y[2]; return }\n```"
	require.NoError(t, stream.Send(&routerv1.DecideStreamRequest{Id: 1, Request: request}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	require.Equal(t, "POLICY_DENIED", answer.GetRefusal().GetCode())
	known := answer.GetRefusal().GetKnown()
	require.Equal(t, made.GetVersion().GetVersion(), known.GetPolicyVersion())
	require.Empty(t, known.GetPlan())

	q := ask("auto").GetQuestion()
	q.Features, q.Qualities, q.Predictor = known.GetFeatures(), known.GetQualities(), known.GetPredictor()
	again := replay(t, c, []*routerv1.ReplayRequest{{Question: q, PolicyVersion: known.GetPolicyVersion()}})
	require.Equal(t, "POLICY_DENIED", again[0].GetRefusal().GetCode())
}
