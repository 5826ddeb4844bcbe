package api

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/pkg/policy"
	"github.com/signalbox/signalbox/pkg/requestbody"
	"github.com/signalbox/signalbox/services/proxy/internal/control"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
	"github.com/signalbox/signalbox/services/proxy/internal/limits"
)

const priced = `
version: 1
providers: {sandbox: {kind: sandbox}}
models:
  small:
    endpoints: [{provider: sandbox, model: sandbox-small}]
    price: {input: "1.00", output: "2.00", per: 1M, effective: 2026-01-01}
    max_output: 2000
  free: {endpoints: [{provider: sandbox, model: other}]}
defaults: {baseline: small}
routes: {auto: {select: [{candidates: [small]}]}}
`

func TestEstimateUse(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	p, err := policy.Compile([]byte(priced), cat)
	require.NoError(t, err)
	const at = 10
	for name, tt := range map[string]struct {
		model        string
		give         requestbody.Request
		tokens, cost int64
	}{
		"no limit":     {"small", requestbody.Request{Kind: catalog.Chat, Choices: 1}, at + 512, at*1000 + 512*2000},
		"a limit":      {"small", requestbody.Request{Kind: catalog.Chat, Choices: 1, MaxOutputTokens: 1000}, at + 1000, at*1000 + 1000*2000},
		"the model's":  {"small", requestbody.Request{Kind: catalog.Chat, Choices: 1, MaxOutputTokens: 1 << 40}, at + 2000, at*1000 + 2000*2000},
		"two answers":  {"small", requestbody.Request{Kind: catalog.Chat, Choices: 2, MaxOutputTokens: 100}, at + 200, at*1000 + 200*2000},
		"embeddings":   {"small", requestbody.Request{Kind: catalog.Embeddings, Choices: 1}, at, at * 1000},
		"no price":     {"free", requestbody.Request{Kind: catalog.Chat, Choices: 1}, at + 512, 0},
		"out of range": {"free", requestbody.Request{Kind: catalog.Chat, Choices: 3, MaxOutputTokens: math.MaxInt64}, math.MaxInt64, 0},
	} {
		plan := control.Plan{Policy: p, Decision: &decide.Decision{Plan: []decide.Candidate{{Model: tt.model, Provider: "sandbox"}}}}
		tokens, cost := estimateUse(plan, &tt.give, at, time.Now())
		require.Equal(t, tt.tokens, tokens, name)
		require.Equal(t, tt.cost, cost, name)
	}
}

func TestTotalUse(t *testing.T) {
	much := int64(math.MaxInt64)
	r := &ledger.Record{Attempts: []ledger.Attempt{
		{Usage: &catalog.Usage{Input: 1, CacheRead: 2, CacheWrite: 4, Output: 8, Reasoning: 7}, Cost: ledger.Known(5)},
		{},
		{Usage: &catalog.Usage{Output: 16}},
	}}
	tokens, nano := totalUse(r)
	require.EqualValues(t, 31, tokens, "of all attempts, and reasoning is output")
	require.EqualValues(t, 5, nano, "what has a price")
	r.Attempts = append(r.Attempts, ledger.Attempt{Usage: &catalog.Usage{Input: much, Output: much, CacheRead: -1}, Cost: ledger.Known(much)})
	tokens, nano = totalUse(r)
	require.Equal(t, much, tokens)
	require.Equal(t, much, nano)
}

func TestTheTightestMeters(t *testing.T) {
	key := limits.Status{Scope: "key", Name: limits.RequestsPerMinute, Limit: 100, Remaining: 7}
	account := limits.Status{Scope: "account", Name: limits.RequestsPerMinute, Limit: 10, Remaining: 6}
	require.Equal(t, [2]limits.Status{account, {}}, tightestStatuses([]limits.Status{key, {Name: limits.ConcurrentRequests, Limit: 1}, account}))
	tokens := limits.Status{Name: limits.TokensPerMinute, Limit: 1}
	require.Equal(t, [2]limits.Status{key, tokens}, tightestStatuses([]limits.Status{tokens, key}))
	require.Zero(t, tightestStatuses(nil))
}
