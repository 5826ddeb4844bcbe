package dashboard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// TestSystemReportsHealthyParts reads the status as the operator.
func TestSystemReportsHealthyParts(t *testing.T) {
	h := newTestEnvWith(t, dashboard.Config{RetentionDays: 400, ContentDays: 30})
	operator := h.claimOperator()
	before := operator.api("GET", "/system", "").json(t)
	require.Nil(t, before["ledger"].(map[string]any)["last_stored_at"])
	h.publish(newRecord("acc_1", 1, nil))
	got := operator.api("GET", "/system", "").json(t)
	require.Equal(t, map[string]any{"record_days": 400.0, "content_days": 30.0}, got["retention"])
	require.Equal(t, "p1", got["policy_version"])
	ledger := got["ledger"].(map[string]any)
	require.Equal(t, "sqlite", ledger["kind"])
	require.Positive(t, ledger["bytes"])
	require.NotNil(t, ledger["last_stored_at"])
	require.Zero(t, ledger["waiting"])
	var names []string
	for _, p := range got["parts"].([]any) {
		require.Equal(t, true, p.(map[string]any)["ok"], p)
		names = append(names, p.(map[string]any)["name"].(string))
	}
	require.Equal(t, []string{"ledger", "router", "keyauth"}, names, "the carrier is in this process")
}

// TestAttemptsByEndpoint checks that a fallback counts as a failure of the endpoint
// that failed.
func TestAttemptsByEndpoint(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	h.publish(full(account), newRecord("acc_9", 1, func(r *recordv1.RequestRecord) {
		r.Attempts = []*recordv1.Attempt{{Provider: "gamma", Model: "small"}}
	}))
	got := b.api("GET", "/attempts?from=2026-11-14&to=2026-11-15", "").json(t)
	require.EqualValues(t, 1, got["requests"])
	require.Equal(t, []any{
		map[string]any{
			"provider": "alpha", "model": "small", "attempts": 1.0, "failed": 1.0, "p50_us": nil, "p95_us": nil,
			"failures": []any{map[string]any{"code": "PROVIDER_TIMEOUT", "attempts": 1.0, "request_id": idOf(full(account))}},
		},
		map[string]any{
			"provider": "beta", "model": "small", "attempts": 1.0, "failed": 0.0, "p50_us": 410900.0, "p95_us": 410900.0, "failures": []any{},
		},
	}, got["items"])
	require.Empty(t, b.api("GET", "/attempts?filter=model:none", "").json(t)["items"])
}
