package dashboard_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// eachStore runs a test with both databases.
func eachStore(t *testing.T, test func(t *testing.T, h *testEnv)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newTestEnv(t, "")) })
	t.Run("postgres", func(t *testing.T) {
		test(t, newTestEnvWith(t, dashboard.Config{Postgres: config.Secret(testenv.Postgres(t))}))
	})
}

// spender returns a record with a cost.
func spender(account, key string, n int, nano int64) *recordv1.RequestRecord {
	return newRecord(account, n, func(r *recordv1.RequestRecord) {
		r.KeyId, r.KeyName, r.Model, r.CostNanoUsd = key, "name of "+key, "model of "+key, proto.Int64(nano)
		r.Tokens.CacheRead, r.Tokens.CacheWrite = 4, 1
		if n%2 == 0 {
			r.User, r.Agent, r.Session = "user of "+key, "agent of "+key, "session of "+key
		}
	})
}

func TestSpendByGroupOverTime(t *testing.T) {
	eachStore(t, func(t *testing.T, h *testEnv) {
		b, account := h.registerUser("a@example.com")
		_, other := h.registerUser("b@example.com")
		var all []*recordv1.RequestRecord
		for n := range 8 {
			all = append(all, spender(account, "key-"+strconv.Itoa(n), 3601*n, int64(100+n)))
		}
		all = append(all, spender(account, "key-7", 0, 50), spender(other, "key-7", 0, 1_000_000))
		h.publish(all...)

		got := b.api("GET", "/spend?from=2026-11-14&to=2026-11-15", "").json(t)
		require.Equal(t, "key", got["group_by"], "the default")
		require.EqualValues(t, 3600, got["step_seconds"])
		require.EqualValues(t, 878, got["routed_nano_usd"], "without the other account")
		groups := got["groups"].([]any)
		require.Len(t, groups, 8)
		first := groups[0].(map[string]any)
		require.Equal(t, []any{"key-7", "name of key-7", 157.0}, []any{first["group"], first["name"], first["routed_nano_usd"]})
		require.Equal(t, []any{
			map[string]any{"time": "2026-11-14T12:00:00.000000Z", "cost_nano_usd": 50.0},
			map[string]any{"time": "2026-11-14T19:00:00.000000Z", "cost_nano_usd": 107.0},
		}, first["costs"])
		require.Nil(t, groups[7].(map[string]any)["costs"], "a chart has no colors for it")
		require.Len(t, got["other_costs"], 2)

		narrowed := b.api("GET", "/spend?from=2026-11-14&to=2026-11-15&group_by=session&filter=key:key-7", "").json(t)
		require.EqualValues(t, 157, narrowed["routed_nano_usd"])
		require.Equal(t, []any{nil, "session of key-7"}, []any{
			narrowed["groups"].([]any)[0].(map[string]any)["group"], narrowed["groups"].([]any)[1].(map[string]any)["group"],
		})
		require.Empty(t, b.api("GET", "/spend?from=2025-01-01&to=2025-01-02", "").json(t)["groups"])

		tokens := b.api("GET", "/spend/volume?measure=tokens&from=2026-11-14&to=2026-11-15", "").json(t)
		require.Equal(t, []any{9.0, 9 * 15.0, 9 * 5.0}, []any{tokens["requests"], tokens["input_tokens"], tokens["output_tokens"]}, "with cached tokens")
		first = tokens["groups"].([]any)[0].(map[string]any)
		require.Equal(t, []any{"key-7", 30.0, 10.0}, []any{first["group"], first["input_tokens"], first["output_tokens"]}, "the largest first")
		require.Equal(t, map[string]any{"time": "2026-11-14T12:00:00.000000Z", "value": 20.0}, first["values"].([]any)[0])
		counts := b.api("GET", "/spend/volume?measure=requests&from=2026-11-14&to=2026-11-15", "").json(t)
		first = counts["groups"].([]any)[0].(map[string]any)
		require.Equal(t, []any{"key-7", 2.0, nil}, []any{first["group"], first["requests"], first["input_tokens"]})
		require.Len(t, counts["other_values"], 2)
		days := b.api("GET", "/spend/volume?measure=requests&from=2026-11-01&to=2026-11-30", "").json(t)
		require.EqualValues(t, 9, days["requests"], "from the sums of days")
	})
}

func TestSpendParamsAreChecked(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	details := b.api("GET", "/spend?group_by=day", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "group_by", details["param"])
	require.NotContains(t, details["allowed"], "day")
	b.api("GET", "/spend?group_by=color", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "requests", b.api("GET", "/spend/volume", "").json(t)["measure"])
	b.api("GET", "/spend/volume?measure=color", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("GET", "/spend/top?filter=color:red", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("GET", "/spend/forecast?from=2026-11-14", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestTopSpendListsWhatCostsMost(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	all := []*recordv1.RequestRecord{spender(other, "theirs", 0, 1_000_000)}
	for n := range 7 {
		all = append(all, spender(account, "key-"+strconv.Itoa(n), n, int64(100+n)))
	}
	h.publish(all...)
	got := b.api("GET", "/spend/top?from=2026-11-14&to=2026-11-15", "").json(t)
	names := func(list string) (all []any) {
		for _, g := range got[list].([]any) {
			all = append(all, g.(map[string]any)["group"])
		}
		return all
	}
	require.Equal(t, []any{"key-6", "key-5", "key-4", "key-3", "key-2"}, names("keys"))
	require.Equal(t, []any{"model of key-6", "model of key-5", "model of key-4", "model of key-3", "model of key-2"}, names("models"))
	require.Equal(t, []any{"user of key-6", "user of key-4", "user of key-2", "user of key-0"}, names("users"), "requests without a user are left out")
	require.Equal(t, []any{"agent of key-6", "agent of key-4", "agent of key-2", "agent of key-0"}, names("agents"))
}

func TestForecastComparesTheMonthWithBudgets(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	b.api("POST", "/keys", `{"name":"prod","budget":{"nano_usd_per_month":1}}`)
	b.api("POST", "/keys", `{"name":"spare"}`)
	b.api("PATCH", "/account", `{"limits":{"nano_usd_per_month":9000000000}}`)
	now, today, month := ourDays()
	h.publish(cost(account, "key_1", now, 100), cost(account, "gone", today.Add(-time.Hour), 7000), cost(other, "key_1", now, 600_000))

	got := b.api("GET", "/spend/forecast", "").json(t)
	require.Equal(t, month.Format("2006-01-02T15:04:05.000000Z"), got["from"])
	all := got["account"].(map[string]any)
	before := 7000.0 // spent yesterday, unless that was last month
	if today.Equal(month) {
		before = 0
	}
	require.Equal(t, 100+before, all["spent_nano_usd"])
	require.Equal(t, 7000.0, all["per_day_nano_usd"], "the only complete day")
	require.GreaterOrEqual(t, all["forecast_nano_usd"], all["spent_nano_usd"])
	require.Equal(t, 9e9, all["budget_nano_usd"])
	require.Nil(t, all["reached_at"])
	keys := got["keys"].([]any)
	require.Len(t, keys, 1, "a key without spend and budget is left out")
	prod := keys[0].(map[string]any)
	require.Equal(t, "prod", prod["name"])
	require.Nil(t, prod["forecast_nano_usd"], "it has no complete day")
	require.NotNil(t, prod["reached_at"], "its budget is used up")
}
