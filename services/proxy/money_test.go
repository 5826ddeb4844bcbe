package proxy_test

import (
	"bufio"
	"context"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/policy"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

const smallChat = `{"model":"sandbox-small","messages":[{"role":"user","content":"hi"}]}`

// priced returns a policy with one model at the given prices.
func priced(t *testing.T, prices string) *policy.Policy {
	t.Helper()
	cat, err := catalog.Load()
	require.NoError(t, err)
	document := "version: 1\nmodels:\n  sandbox-small: {price: " + prices + "}\n  sandbox-large: {}\n" +
		"defaults: {baseline: sandbox-large}\nroutes:\n  auto: {select: [{target: sandbox-small}]}\n"
	p, err := policy.Compile([]byte(document), cat)
	require.NoError(t, err)
	return p
}

// addsUp recomputes the costs of a record from its own prices.
func addsUp(t *testing.T, r *recordv1.RequestRecord) {
	t.Helper()
	total := int64(0)
	for _, a := range r.GetAttempts() {
		require.Equal(t, cost(a.GetPrice(), a.GetTokens()), a.GetCostNanoUsd())
		require.Equal(t, whole(a.GetCosts()), a.GetCostNanoUsd())
		total += a.GetCostNanoUsd()
	}
	require.Equal(t, total, r.GetCostNanoUsd())
	require.Equal(t, whole(r.GetCosts()), r.GetCostNanoUsd())
	require.Equal(t, cost(r.GetBaselinePrice(), r.GetTokens()), r.GetBaselineNanoUsd())
	require.Equal(t, whole(r.GetBaselineCosts()), r.GetBaselineNanoUsd())
}

func whole(c *recordv1.Costs) int64 {
	return c.GetInput() + c.GetCacheRead() + c.GetCacheWrite() + c.GetOutput()
}

func cost(p *recordv1.Price, u *recordv1.Tokens) int64 {
	sum := big.NewInt(500)
	for _, part := range [][2]int64{
		{p.GetInput(), u.GetInput()}, {p.GetCacheRead(), u.GetCacheRead()}, {p.GetCacheWrite(), u.GetCacheWrite()}, {p.GetOutput(), u.GetOutput()},
	} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	return sum.Quo(sum, big.NewInt(1000)).Int64()
}

// A record has the price that was valid at the time of its request, under the policy of its decision.
// A price change affects only later requests.
func TestAPriceIsThatOfTheRequestsTime(t *testing.T) {
	g := newRig(t, nil)
	first := priced(t, `[{input: "0.13", output: "0.57", effective: 2020-02-02}, {input: "9", output: "9", effective: 2900-01-01}, {input: "8", output: "8"}]`)
	second := priced(t, `{input: "1.3", output: "5.7"}`)
	old := g.follow(first).GetAttempts()[0].GetPrice()
	require.EqualValues(t, 130_000, old.GetInput())
	require.EqualValues(t, 570_000, old.GetOutput())
	require.Equal(t, "2020-02-02", old.GetEffective())
	now := g.follow(second).GetAttempts()[0].GetPrice()
	require.EqualValues(t, 1_300_000, now.GetInput())
	require.Empty(t, now.GetEffective())
}

// A request in progress during a price change is charged at the old prices.
func TestAnEditDoesNotReachARequestInFlight(t *testing.T) {
	g := newRig(t, nil)
	g.follow(priced(t, `{input: "0.13", output: "0.57"}`))
	body := strings.Replace(smallChat, "{", `{"stream":true,"x_sandbox":{"hang":true,"break_after":3,"chunk_ms":0},`, 1)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.server.URL+chatPath, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+g.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = bufio.NewReader(res.Body).ReadString('\n')
	require.NoError(t, err)

	g.follow(priced(t, `{input: "1.3", output: "5.7"}`))
	leave()
	r := g.record()
	require.Equal(t, recordv1.Outcome_OUTCOME_CLIENT_CLOSED, r.GetOutcome())
	require.EqualValues(t, 130_000, r.GetAttempts()[0].GetPrice().GetInput())
	require.Positive(t, r.GetAttempts()[0].GetTokens().GetOutput())
	require.Equal(t, recordv1.CostBasis_COST_BASIS_ESTIMATED, r.GetAttempts()[0].GetCostBasis())
	require.Positive(t, r.GetCostNanoUsd())
	addsUp(t, r)
}

// follow publishes a policy and returns the first record under it.
func (g *rig) follow(p *policy.Policy) (r *recordv1.RequestRecord) {
	g.t.Helper()
	select {
	case g.router.changes <- p:
	case <-time.After(patience):
		require.Fail(g.t, "no watch of the policy")
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		res, body := g.call(http.MethodPost, chatPath, smallChat)
		require.Equal(g.t, http.StatusOK, res.StatusCode, body)
		r = g.record()
		addsUp(g.t, r)
		if r.GetPolicyVersion() == p.Version() {
			return r
		}
	}
	require.Fail(g.t, "the policy was never followed")
	return nil
}
