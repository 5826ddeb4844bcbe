package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// cost returns a record of a key at a time with the given cost.
func cost(account, key string, at time.Time, nano int64) *recordv1.RequestRecord {
	return newRecord(account, 0, func(r *recordv1.RequestRecord) {
		r.KeyId, r.Time, r.CostNanoUsd = key, timestamppb.New(at), proto.Int64(nano)
	})
}

// refusal returns a record of a request that a limit rejected.
func refusal(account, key string, at time.Time, code, text string) *recordv1.RequestRecord {
	return newRecord(account, 0, func(r *recordv1.RequestRecord) {
		r.KeyId, r.Time, r.Code, r.Error, r.Status = key, timestamppb.New(at), code, text, 429
		r.Outcome, r.CostNanoUsd, r.BaselineNanoUsd = recordv1.Outcome_OUTCOME_REJECTED, proto.Int64(0), proto.Int64(0)
	})
}

// ourDays returns the start of today and of the month. A test that runs across
// midnight would see two days.
func ourDays() (now, today, month time.Time) {
	now = time.Now().UTC()
	today = now.Truncate(24 * time.Hour)
	return now, today, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func TestLimitsAndUsage(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	_, other := h.registerUser("b@example.com")
	b.api("POST", "/keys", `{"name":"prod","limits":{"requests_per_minute":60},"budget":{"nano_usd_per_month":900}}`)
	b.api("POST", "/keys", `{"name":"spare"}`)
	b.api("PATCH", "/account", `{"limits":{"nano_usd_per_day":5000}}`)
	now, today, month := ourDays()
	h.publish(
		cost(account, "key_1", now, 100), cost(account, "key_1", today, 20), cost(account, "key_1", today.Add(-time.Second), 3),
		cost(account, "gone", now, 4000), cost(account, "key_1", month.Add(-time.Second), 50_000), cost(other, "key_1", now, 600_000),
		refusal(account, "key_1", now.Add(-time.Second), "RATE_LIMIT_EXCEEDED", "the key's limit of 60 requests per minute is reached."),
		refusal(account, "key_2", now.Add(-2*time.Second), "BUDGET_EXCEEDED", "the account's budget of $5.00 a day is used up"),
		refusal(account, "key_1", now.AddDate(0, 0, -31), "BUDGET_EXCEEDED", "long ago"),
		refusal(account, "key_1", now, "INVALID_REQUEST", "not a limit"),
		refusal(other, "key_1", now, "BUDGET_EXCEEDED", "not theirs"),
	)
	a := b.api("GET", "/limits", "")
	require.Equal(t, http.StatusOK, a.status, a.body)
	v := a.json(t)
	all, keys := v["account"].(map[string]any), v["keys"].([]any)
	require.Len(t, keys, 2)
	prod, spare := keys[0].(map[string]any), keys[1].(map[string]any)
	before := 3.0 // spent yesterday, unless that was last month
	if today.Equal(month) {
		before = 0
	}
	spent := func(day, month float64) map[string]any {
		return map[string]any{
			"day":   map[string]any{"nano_usd": day, "resets_at": today.AddDate(0, 0, 1).Format("2006-01-02T15:04:05.000000Z")},
			"month": map[string]any{"nano_usd": month, "resets_at": now.AddDate(0, 1, 1-now.Day()).Format("2006-01-02") + "T00:00:00.000000Z"},
		}
	}
	require.Equal(t, spent(4120, 4120+before), all["spent"], "of all keys, also of those that are no more")
	require.Equal(t, spent(120, 120+before), prod["spent"])
	require.Equal(t, spent(0, 0), spare["spent"])
	require.Equal(t, map[string]any{
		"requests_per_minute": 0., "tokens_per_minute": 0., "concurrent_requests": 0., "nano_usd_per_day": 5000., "nano_usd_per_month": 0.,
	}, all["limits"])
	require.Equal(t, 60., prod["limits"].(map[string]any)["requests_per_minute"])
	require.Equal(t, 900., prod["limits"].(map[string]any)["nano_usd_per_month"])
	require.Equal(t, []any{"key_1", "prod", "sbx_live_0001", "active"}, []any{prod["id"], prod["name"], prod["prefix"], prod["state"]})

	refused := all["refusals"].([]any)
	require.Len(t, refused, 2, "newest first, of this account, of limits")
	first := refused[0].(map[string]any)
	require.Equal(t, []any{"RATE_LIMIT_EXCEEDED", "requests_per_minute", "key", "key_1"}, []any{first["code"], first["name"], first["scope"], first["key_id"]})
	require.Equal(t, http.StatusOK, b.api("GET", "/requests/"+first["request_id"].(string), "").status)
	second := refused[1].(map[string]any)
	require.Equal(t, []any{"BUDGET_EXCEEDED", "nano_usd_per_day", "account"}, []any{second["code"], second["name"], second["scope"]})
	require.Equal(t, refused[:1], prod["refusals"])
	require.Equal(t, refused[1:], spare["refusals"])
}

// TestRefusalsOfOneKeyDoNotHideOthers checks that a key with many refusals does not
// hide those of other keys.
func TestRefusalsOfOneKeyDoNotHideOthers(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	b.api("POST", "/keys", `{"name":"loud"}`)
	b.api("POST", "/keys", `{"name":"quiet"}`)
	now := time.Now()
	all := []*recordv1.RequestRecord{refusal(account, "key_2", now.Add(-time.Hour), "BUDGET_EXCEEDED", "x")}
	for n := range 210 {
		all = append(all, refusal(account, "key_1", now.Add(-time.Duration(n)*time.Millisecond), "CONCURRENCY_LIMIT_EXCEEDED", "x"))
	}
	h.publish(all...)
	v := b.api("GET", "/limits", "").json(t)
	require.Len(t, v["account"].(map[string]any)["refusals"], 5)
	require.Len(t, v["keys"].([]any)[0].(map[string]any)["refusals"], 5)
	v = b.api("GET", "/limits?key=key_2", "").json(t)
	require.Len(t, v["keys"], 1)
	quiet := v["keys"].([]any)[0].(map[string]any)["refusals"].([]any)
	require.Len(t, quiet, 1)
	require.Nil(t, quiet[0].(map[string]any)["name"], "its text does not say")
	require.Len(t, v["account"].(map[string]any)["refusals"], 5)
	b.api("GET", "/limits?key=key_9", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
}

func TestLimitsOfTheAccount(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for _, step := range []struct {
		body string
		mask []string
		want [5]float64
	}{
		{`{"limits":{"requests_per_minute":1,"tokens_per_minute":2,"concurrent_requests":3,"nano_usd_per_day":4,"nano_usd_per_month":5}}`,
			[]string{"limits.requests_per_minute", "limits.tokens_per_minute", "limits.concurrent_requests", "limits.nano_usd_per_day", "limits.nano_usd_per_month"},
			[5]float64{1, 2, 3, 4, 5}},
		{`{"limits":{"tokens_per_minute":null,"nano_usd_per_month":0}}`,
			[]string{"limits.tokens_per_minute", "limits.nano_usd_per_month"}, [5]float64{1, 0, 3, 4, 0}},
		{`{"limits":null}`,
			[]string{"limits.requests_per_minute", "limits.tokens_per_minute", "limits.concurrent_requests", "limits.nano_usd_per_day", "limits.nano_usd_per_month"},
			[5]float64{}},
	} {
		a := b.api("PATCH", "/account", step.body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		require.Equal(t, step.mask, h.accounts.changed.GetMask().GetPaths())
		l := b.api("GET", "/account", "").json(t)["limits"].(map[string]any)
		require.Equal(t, step.want, [5]float64{
			l["requests_per_minute"].(float64), l["tokens_per_minute"].(float64), l["concurrent_requests"].(float64),
			l["nano_usd_per_day"].(float64), l["nano_usd_per_month"].(float64),
		}, step.body)
	}
}

func TestBadLimitsAreRefused(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	b.api("POST", "/keys", `{"name":"prod"}`)
	for body, want := range map[string][2]string{
		`{"limits":{"requests_per_minute":-1}}`:                   {"limits.requests_per_minute", "must be 0"},
		`{"limits":{"tokens_per_minute":1.5}}`:                    {"limits.tokens_per_minute", "whole number"},
		`{"limits":{"tokens_per_minute":"many"}}`:                 {"limits.tokens_per_minute", "whole number"},
		`{"limits":{"concurrent_requests":99999999999999999999}}`: {"limits.concurrent_requests", "whole number"},
		`{"limits":{"rpm":1}}`:                                    {"limits.rpm", "unknown field"},
		`{"limits":5}`:                                            {"limits", "wrong type"},
	} {
		for method, path := range map[string]string{"/account": "PATCH", "/keys/key_1": "PATCH", "/keys": "POST"} {
			a := b.api(path, method, body)
			require.Equal(t, want[0], a.requireError(t, http.StatusBadRequest, "INVALID_REQUEST")["param"], body)
			require.Contains(t, a.json(t)["error"], want[1], body)
		}
	}
	for body, param := range map[string]string{
		`{"limits":{"nano_usd_per_day":-1}}`: "limits.nano_usd_per_day", `{"webhook":{"uri":"x"}}`: "webhook.uri", `{"webhook":"x"}`: "webhook",
	} {
		require.Equal(t, param, b.api("PATCH", "/account", body).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")["param"], body)
	}
	details := b.api("PATCH", "/keys/key_1", `{"budget":{"nano_usd_per_day":-1}}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "budget.nano_usd_per_day", details["param"])
	require.Nil(t, h.accounts.changed)
	require.Nil(t, h.accounts.updated)

	// Errors of keyauth name the parameter as it was sent.
	for _, one := range [][3]string{
		{"/account", `{"limits":{"nano_usd_per_day":9000000000000000000}}`, "limits.nano_usd_per_day"},
		{"/account", `{"limits":{"requests_per_minute":9000000000000000000}}`, "limits.requests_per_minute"},
		{"/account", `{"webhook":{"url":"http://example.com"}}`, "webhook.url"},
		{"/keys/key_1", `{"budget":{"nano_usd_per_day":9000000000000000000}}`, "budget.nano_usd_per_day"},
		{"/keys/key_1", `{"limits":{"requests_per_minute":9000000000000000000}}`, "limits.requests_per_minute"},
	} {
		details := b.api("PATCH", one[0], one[1]).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, one[2], details["param"], one[1])
	}
}

func TestTheWebhook(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	hook := func() any { return b.api("GET", "/account", "").json(t)["webhook"] }
	require.Equal(t, map[string]any{"url": nil, "signed": false}, hook())
	b.api("POST", "/account/webhook/test", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	b.api("PATCH", "/account", `{"webhook":{"url":"https://hooks.example.com"}}`)
	require.Equal(t, []string{"webhook_url"}, h.accounts.changed.GetMask().GetPaths())
	require.JSONEq(t, `{"status":204,"error":null}`, b.api("POST", "/account/webhook/test", "").body)
	a := b.api("POST", "/account/webhook/secret", "")
	require.Equal(t, http.StatusCreated, a.status)
	require.JSONEq(t, `{"secret":"whsec-1"}`, a.body)
	require.Equal(t, map[string]any{"url": "https://hooks.example.com", "signed": true}, hook())
	require.NotContains(t, b.api("GET", "/account", "").body, "whsec-1")

	b.api("PATCH", "/account", `{"webhook":{"url":"https://hooks.example.com:8443/hidden?token=hidden"}}`)
	member := b.joined("m@example.com", "member")
	seen := member.api("GET", "/account", "")
	require.Equal(t, "https://hooks.example.com:8443", seen.json(t)["webhook"].(map[string]any)["url"])
	require.NotContains(t, seen.body, "hidden")
	require.NotContains(t, h.claimOperator().api("GET", "/accounts", "").body, "hidden")
	b.api("PATCH", "/account", `{"webhook":{"url":"https://down.example.com"}}`)
	require.JSONEq(t, `{"status":null,"error":"it cannot be reached"}`, b.api("POST", "/account/webhook/test", "").body)
	for _, none := range []string{`{"webhook":{"url":null}}`, `{"webhook":null}`} {
		b.api("PATCH", "/account", `{"webhook":{"url":"https://hooks.example.com"}}`)
		b.api("PATCH", "/account", none)
		require.Equal(t, map[string]any{"url": nil, "signed": true}, hook(), none)
	}
}

// TestSpendIsReported follows spend from the record to keyauth, as full day sums. Spend that is older
// than keyauth accepts is left out.
func TestSpendIsReported(t *testing.T) {
	h := newTestEnv(t, "")
	_, account := h.registerUser("a@example.com")
	now, today, _ := ourDays()
	h.publish(cost(account, "key_1", now, 100), cost(account, "key_1", today, 20), cost(account, "key_1", now.AddDate(0, -4, 0), 7))
	of := account + " key_1 " + now.Format("2006-01-02")
	require.Eventually(t, func() bool { return h.accounts.spent(of) == 120 }, 20*time.Second, 10*time.Millisecond)
	h.publish(cost(account, "key_1", now, 3))
	require.Eventually(t, func() bool { return h.accounts.spent(of) == 123 }, 20*time.Second, 10*time.Millisecond)
	h.accounts.mu.Lock()
	defer h.accounts.mu.Unlock()
	for key := range h.accounts.spend {
		require.True(t, strings.HasSuffix(key, now.Format("2006-01-02")), key)
	}
}
