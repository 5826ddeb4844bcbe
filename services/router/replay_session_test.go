package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	routerv1 "github.com/signalbox/signalbox/proto/signalbox/router/v1"
	"github.com/signalbox/signalbox/services/router"
)

const sessionPolicy = `version: 1
providers: {one: {kind: sandbox, cache: {mode: automatic, ttl: 5m}}, two: {kind: sandbox}}
models:
  bare: {endpoints: [{provider: two, model: b}], price: {input: "0.8", output: "4"}, context: 100000, capabilities: [tools]}
  steady: {endpoints: [{provider: one, model: s}], price: {input: "2", cache_read: "0.1", cache_write: "2.5", output: "10"}, context: 100000, capabilities: [tools]}
  large: {endpoints: [{provider: one, model: l}], price: {input: "4", cache_read: "0.2", cache_write: "5", output: "20"}, context: 100000, capabilities: [tools]}
defaults: {baseline: large, unlisted: deny}
routes: {auto: {select: [{strategy: cheapest, candidates: [bare, steady, large]}], affinity: {ttl: 10m}}}
`

// sessionQuestion is a turn of a session whose last turn large served.
func sessionQuestion() *routerv1.Question {
	const now = 1_794_700_020
	q, large := ask("auto").GetQuestion(), &routerv1.Candidate{Model: "large", Provider: "one"}
	q.At, q.InputTokens, q.Needs = now, 40_000, []string{"tools"}
	q.Session = &routerv1.Session{
		Last: large, LastAt: now - 30, Turns: 9, AddedTokens: 1500, OutputTokens: 300, MarksCache: true,
		Cached: []*routerv1.CachedPrefix{{Candidate: large, Tokens: 38_000, Expires: now + 270}},
	}
	return q
}

// A record holds what the proxy knew of the session, so a replay gives the same decision: the
// same plan, costs and reason.
func TestADecisionForASessionIsReplayedFromItsInputs(t *testing.T) {
	c := start(t, router.Config{})
	_, err := c.policies.Publish(bounded(t), &routerv1.PublishRequest{Document: sessionPolicy})
	require.NoError(t, err)
	for name, change := range map[string]func(*routerv1.Session){
		"CHEAPEST":  func(*routerv1.Session) {},
		"TOOL_LOOP": func(s *routerv1.Session) { s.ToolLoop = true },
		"side call": func(s *routerv1.Session) { s.ToolLoop, s.SideCall = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			q := sessionQuestion()
			change(q.Session)
			answer, err := c.router.Decide(t.Context(), &routerv1.DecideRequest{Question: q})
			require.NoError(t, err)
			d := answer.GetDecision()
			if !q.Session.SideCall {
				require.Equal(t, name, d.GetReason().GetCode())
				require.NotNil(t, d.GetVerdicts()[0].SessionNanoUsd)
			}
			q.Features, q.Qualities, q.Predictor = d.GetFeatures(), d.GetQualities(), d.GetPredictor()
			got := replay(t, c, []*routerv1.ReplayRequest{{Question: q, PolicyVersion: d.GetPolicyVersion()}})
			require.True(t, proto.Equal(d, got[0].GetDecision()), fmt.Sprint(d, "\n", got[0].GetDecision()))

			q.Session = nil
			without := replay(t, c, []*routerv1.ReplayRequest{{Question: q, PolicyVersion: d.GetPolicyVersion()}})
			require.Nil(t, without[0].GetDecision().GetVerdicts()[0].SessionNanoUsd)
			require.Equal(t, "bare", without[0].GetDecision().GetPlan()[0].GetModel(), "the session decides")
		})
	}
}
