package dashboard_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

func TestKeys(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	a := b.api("POST", "/keys", `{"name":"prod","scopes":["chat"],"models":["auto"],"tags":["eu"],"capture":"none",
		"limits":{"requests_per_minute":60},"budget":{"nano_usd_per_day":5},"expires_at":"2027-01-01T00:00:00Z"}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	golden(t, "key.json", a.body)
	list := b.api("GET", "/keys", "")
	require.NotContains(t, list.body, "secret-1", "a key is shown once")
	require.Len(t, list.json(t)["items"], 1)

	a = b.api("POST", "/keys/key_1/rotate", `{"overlap_seconds":3600}`)
	require.Equal(t, "rotated-3600", a.json(t)["key"])
	b.api("POST", "/keys/key_1/rotate", `{}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "revoked", b.api("DELETE", "/keys/key_1", "").json(t)["state"])
}

// TestTheLastUseOfAKeyIsReportedAndShown follows a use from the record of the
// request to the response that lists the key.
func TestTheLastUseOfAKeyIsReportedAndShown(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	b.api("POST", "/keys", `{"name":"prod"}`)
	h.publish(newRecord(account, 0, func(r *recordv1.RequestRecord) { r.ClientAddress = "192.0.2.7" }))
	var uses []*keyauthv1.KeyUse
	require.Eventually(t, func() bool {
		h.accounts.mu.Lock()
		defer h.accounts.mu.Unlock()
		uses = h.accounts.uses
		return len(uses) > 0
	}, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, account, uses[0].GetAccountId())
	require.Equal(t, "key_1", uses[0].GetKeyId())

	h.accounts.keys[0].key.LastUsedAt, h.accounts.keys[0].key.LastUsedFrom = uses[0].GetTime(), uses[0].GetAddress()
	shown := b.api("GET", "/keys", "").json(t)["items"].([]any)[0].(map[string]any)
	require.Equal(t, "2026-11-14T12:00:00.000000Z", shown["last_used_at"])
	require.Equal(t, "192.0.2.7", shown["last_used_from"])
}

// TestPatchChangesOnlyGivenFields checks that a PATCH sends on only what it changes,
// so that it cannot undo a concurrent PATCH of another setting.
func TestPatchChangesOnlyGivenFields(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	a := b.api("POST", "/keys", `{"name":"prod","tags":["eu"],"expires_at":"2027-01-01T00:00:00Z",
		"limits":{"requests_per_minute":1,"tokens_per_minute":2,"concurrent_requests":3},
		"budget":{"nano_usd_per_day":4,"nano_usd_per_month":5}}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	want := a.json(t)
	delete(want, "key")
	limits, budget := want["limits"].(map[string]any), want["budget"].(map[string]any)
	for _, step := range []struct {
		body   string
		mask   []string
		change func()
	}{
		{`{"budget":{"nano_usd_per_month":9},"expires_at":null}`, []string{"expires_at", "limits.nano_usd_per_month"},
			func() { budget["nano_usd_per_month"], want["expires_at"] = 9., nil }},
		{`{"limits":{"tokens_per_minute":null}}`, []string{"limits.tokens_per_minute"},
			func() { limits["tokens_per_minute"] = 0. }},
		{`{"budget":null}`, []string{"limits.nano_usd_per_day", "limits.nano_usd_per_month"},
			func() { budget["nano_usd_per_day"], budget["nano_usd_per_month"] = 0., 0. }},
		{`{"limits":null,"tags":null}`,
			[]string{"tags", "limits.requests_per_minute", "limits.tokens_per_minute", "limits.concurrent_requests"},
			func() {
				limits["requests_per_minute"], limits["concurrent_requests"], want["tags"] = 0., 0., []any{}
			}},
	} {
		a := b.api("PATCH", "/keys/key_1", step.body)
		require.Equal(t, http.StatusOK, a.status, a.body)
		step.change()
		require.Equal(t, want, a.json(t), step.body)
		require.Equal(t, step.mask, h.accounts.updated.GetMask().GetPaths())
	}
	for _, nothing := range []string{`{}`, `{"limits":{}}`} {
		b.api("PATCH", "/keys/key_1", nothing).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	}
}

// TestExpiryIsPassedToKeyauth checks that keyauth validates the expiry.
func TestExpiryIsPassedToKeyauth(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	b.api("POST", "/keys", `{"name":"k","expires_at":"0001-01-01T00:00:00Z"}`)
	require.True(t, h.accounts.keys[0].key.GetSettings().GetExpiresAt().AsTime().IsZero())
	require.NotNil(t, h.accounts.keys[0].key.GetSettings().GetExpiresAt(), "absent would mean never")
}

func TestBadKeysAreRefused(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for body, param := range map[string]string{
		`{"name":""}`:                                    "name",
		`{"name":"x","owner":"me"}`:                      "owner",
		`{"name":"x","limits":{"rpm":1}}`:                "limits.rpm",
		`{"name":"x","capture":"some"}`:                  "capture",
		`{"name":"x","error_format":"xml"}`:              "error_format",
		`{"name":"x","expires_at":"soon"}`:               "expires_at",
		`{"name":"x","scopes":"chat"}`:                   "scopes",
		`{"name":"x","budget":{"nano_usd_per_day":1.5}}`: "budget.nano_usd_per_day",
	} {
		details := b.api("POST", "/keys", body).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"], body)
	}
	require.Empty(t, h.accounts.keys)
}

func TestAccount(t *testing.T) {
	b, _ := newTestEnv(t, "").registerUser("a@example.com")
	golden(t, "account.json", b.api("GET", "/account", "").body)
	a := b.api("PATCH", "/account", `{"baseline_model":"small","content_days":7,"capture":"redacted"}`)
	v := a.json(t)
	require.Equal(t, "small", v["baseline_model"])
	require.EqualValues(t, 7, v["content_days"])
	require.Equal(t, "redacted", v["capture"])
	require.Equal(t, "a@example.com", v["name"])
	require.Equal(t, true, b.api("PATCH", "/account", `{"allow_experiments":true}`).json(t)["allow_experiments"])
	require.Equal(t, false, b.api("PATCH", "/account", `{"allow_experiments":null}`).json(t)["allow_experiments"])
	require.Nil(t, b.api("PATCH", "/account", `{"baseline_model":null}`).json(t)["baseline_model"])
	details := b.api("PATCH", "/account", `{"baseline_model":"smal"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "baseline_model", details["param"])
	require.Equal(t, "small", details["did_you_mean"])
	b.api("POST", "/keys", `{"name":"x","baseline_model":"no-such-model"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	details = b.api("PATCH", "/account", `{"operator":true}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "operator", details["param"])
}
