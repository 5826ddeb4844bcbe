package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/decide"
	"github.com/signalbox/signalbox/services/proxy/internal/ledger"
)

func chatOf(model string) string {
	return `{"model":"` + model + `","max_tokens":1000,"messages":[{"role":"user","content":"hi"}]}`
}

func TestMaxCostHeader(t *testing.T) {
	v := newVendors(t, "opus")
	ask := func(headers ...string) (*http.Response, string) {
		return v.send(t, http.MethodPost, chatPath, chatOf("gpt"), append(headers, testKey)...)
	}
	last := func() *ledger.Record { return v.records[len(v.records)-1] }

	res, body := ask("X-Signalbox-Max-Cost: 0.01")
	require.Equal(t, http.StatusOK, res.StatusCode, body)
	require.Equal(t, decide.KnownInt(10_000_000), last().Question.MaxCost)

	res, body = ask("X-Signalbox-Max-Cost: 1", "X-Signalbox-Max-Cost: 0.001")
	require.Equal(t, http.StatusPaymentRequired, res.StatusCode, body)
	require.Equal(t, "MAX_COST_EXCEEDED", res.Header.Get("X-Error-Code"))
	require.Equal(t, "false", res.Header.Get("X-Should-Retry"))
	require.Contains(t, body, `"max_cost_usd":"0.001"`)
	require.Equal(t, ledger.Rejected, last().Outcome)
	require.Equal(t, decide.KnownInt(1_000_000), last().Question.MaxCost)
	require.Empty(t, last().Attempts)

	for _, wrong := range []string{"", "-1", "cheap", "$1", "1e-3", "0.0000000001", "1, 2"} {
		res, body = ask("X-Signalbox-Max-Cost: " + wrong)
		require.Equal(t, http.StatusBadRequest, res.StatusCode, wrong)
		require.Equal(t, "INVALID_REQUEST", res.Header.Get("X-Error-Code"), wrong)
		require.Contains(t, body, `"param":"X-Signalbox-Max-Cost"`, wrong)
		require.Equal(t, "gpt", last().RequestedModel)
	}
	_, _ = ask()
	require.False(t, last().Question.MaxCost.Known)
}
