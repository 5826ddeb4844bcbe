package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeys(t *testing.T) {
	h := newHouse(t, "")
	b, _ := h.person("a@example.com")
	a := b.api("POST", "/keys", `{"name":"prod","scopes":["chat"],"models":["auto"],"tags":["eu"],"capture":"none",
		"limits":{"requests_per_minute":60},"budget":{"nano_usd_per_day":5},"expires_at":"2027-01-01T00:00:00Z"}`)
	require.Equal(t, http.StatusCreated, a.status, a.body)
	golden(t, "key.json", a.body)
	list := b.api("GET", "/keys", "")
	require.NotContains(t, list.body, "secret-1", "a key is shown once")
	require.Len(t, list.json(t)["items"], 1)

	// Only what was sent is changed; limits and budget do not undo each other.
	a = b.api("PATCH", "/keys/key_1", `{"budget":{"nano_usd_per_month":9},"expires_at":null}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.Equal(t, []string{"expires_at", "limits"}, h.accounts.updated.GetMask().GetPaths())
	v := a.json(t)
	require.Nil(t, v["expires_at"])
	require.Equal(t, "prod", v["name"])
	require.EqualValues(t, 60, v["limits"].(map[string]any)["requests_per_minute"])
	require.EqualValues(t, 9, v["budget"].(map[string]any)["nano_usd_per_month"])
	require.EqualValues(t, 0, v["budget"].(map[string]any)["nano_usd_per_day"])

	a = b.api("POST", "/keys/key_1/rotate", `{"overlap_seconds":3600}`)
	require.Equal(t, "rotated-3600", a.json(t)["key"])
	b.api("POST", "/keys/key_1/rotate", `{}`).refused(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "revoked", b.api("DELETE", "/keys/key_1", "").json(t)["state"])
}

func TestBadKeysAreRefused(t *testing.T) {
	h := newHouse(t, "")
	b, _ := h.person("a@example.com")
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
		details := b.api("POST", "/keys", body).refused(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"], body)
	}
	require.Empty(t, h.accounts.keys)
}

func TestAccount(t *testing.T) {
	b, _ := newHouse(t, "").person("a@example.com")
	golden(t, "account.json", b.api("GET", "/account", "").body)
	a := b.api("PATCH", "/account", `{"baseline_model":"large","content_days":7,"capture":"redacted"}`)
	v := a.json(t)
	require.Equal(t, "large", v["baseline_model"])
	require.EqualValues(t, 7, v["content_days"])
	require.Equal(t, "redacted", v["capture"])
	require.Equal(t, "a@example.com", v["name"])
	require.Nil(t, b.api("PATCH", "/account", `{"baseline_model":null}`).json(t)["baseline_model"])
	details := b.api("PATCH", "/account", `{"operator":true}`).refused(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "operator", details["param"])
}
