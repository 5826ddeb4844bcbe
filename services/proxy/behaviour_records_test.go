package proxy_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/scripted"
	"github.com/signalbox/signalbox/pkg/testkit/scriptedtest"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// Providers may send the same id twice, or none. Records use our own ids.
func TestBehaviour05ARecordIsNamedByUs(t *testing.T) {
	w := newWire(t)
	seen := map[uuid.UUID]bool{}
	for _, id := range []string{`"id":"one",`, `"id":"one",`, ``} {
		a := w.told(scripted.JSON(200, `{`+id+`"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`).WithHeader("X-Request-Id", "theirs"), plain(""))
		require.Equal(t, http.StatusOK, a.status)
		require.Contains(t, a.body, `"id":"chatcmpl-ID"`)
		ours := uuid.Must(uuid.FromBytes(a.record.GetId()))
		require.EqualValues(t, 7, ours.Version())
		require.False(t, seen[ours])
		seen[ours] = true
		require.Equal(t, "theirs", a.record.GetAttempts()[0].GetUpstreamRequestId(), "their id is recorded too")
	}
}

// An error names every candidate that was called and its error.
func TestBehaviour06AFailureTellsWhatWasTried(t *testing.T) {
	w, spare := newPair(t, "20s")
	w.up.Script(scripted.JSON(503, `{}`))
	spare.Script(scripted.JSON(500, `{}`))
	a := w.ask(chatPath, plain(""))
	a.refused(t, http.StatusBadGateway, "PROVIDER_UPSTREAM_ERROR")
	require.Equal(t, recordv1.Outcome_OUTCOME_ERROR, a.record.GetOutcome())
	require.Equal(t, "small", a.record.GetRequestedModel())
	var tried []string
	for _, at := range a.record.GetAttempts() {
		tried = append(tried, fmt.Sprintf("%s@%s %d %s", at.GetModel(), at.GetProvider(), at.GetStatus(), at.GetCode()))
		require.Contains(t, a.body, `"provider":"`+at.GetProvider()+`"`, "the client's error has it too")
	}
	require.Equal(t, []string{"small@up 503 PROVIDER_OVERLOADED", "small@spare 500 PROVIDER_UPSTREAM_ERROR"}, tried)
	var judged []string
	for _, c := range a.record.GetCandidates() {
		judged = append(judged, c.GetModel()+"@"+c.GetProvider()+" "+c.GetVerdict())
	}
	require.Equal(t, []string{"small@up CHOSEN", "small@spare FALLBACK"}, judged)
}

// The token buckets are disjoint, even if the provider counts tokens in two of them. The difference
// to the provider's total is recorded.
func TestBehaviour08TokensAreCountedOnce(t *testing.T) {
	w := newWire(t)
	const usage = `"usage":{"prompt_tokens":100,"completion_tokens":30,"total_tokens":137,` +
		`"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":10}}`
	for form, give := range map[string]scripted.Response{
		plain(""):  scripted.JSON(200, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],`+usage+`}`),
		stream(""): scripted.Events(chunk(`{"content":"a"}`, `"stop"`), `{"choices":[],`+usage+`}`, "[DONE]"),
	} {
		a := w.told(give, form)
		u := a.record.GetTokens()
		require.Equal(t, []int64{60, 40, 0, 30, 10}, []int64{u.GetInput(), u.GetCacheRead(), u.GetCacheWrite(), u.GetOutput(), u.GetReasoning()})
		require.EqualValues(t, 60*1000+40*500+30*2000, a.record.GetCostNanoUsd())
		require.EqualValues(t, 7, a.record.GetAttempts()[0].GetUsageDifference())
		addsUp(t, a.record)
	}
}

const unpriced = `version: 1
providers:
  up: {kind: openai, base_url: %s/v1, allow_private: true}
models:
  small: {endpoints: [{provider: up, model: up-small}], context: 1000000}
`

// The cost of an unpriced model is unknown, not 0.
func TestBehaviour14WhatHasNoPriceIsNotFree(t *testing.T) {
	up := scriptedtest.New(t, scriptedtest.OpenAI)
	w := &wire{rig: newRigOf(t, fmt.Sprintf(unpriced, up.URL)), up: up}
	a := w.ask(chatPath, plain(""))
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Empty(t, a.header.Get("X-Signalbox-Cost-Usd"))
	require.Nil(t, a.record.CostNanoUsd)
	require.Nil(t, a.record.BaselineNanoUsd)
	require.Nil(t, a.record.GetAttempts()[0].CostNanoUsd)
	require.EqualValues(t, 9, a.record.GetTokens().GetInput(), "it is counted all the same")
	require.NotContains(t, a.body, "cost")
}
