package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGroupBudgets(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	stranger, _ := h.registerUser("b@example.com")
	made := b.api("POST", "/budgets", `{"name":"users","kind":"user","value":"*","amounts":{"nano_usd_per_day":5,"nano_usd_total":7}}`)
	require.Equal(t, http.StatusOK, made.status, made.body)
	require.JSONEq(t, `{"items":[{"id":"id of users","name":"users","kind":"user","value":"*",
		"amounts":{"nano_usd_per_hour":0,"nano_usd_per_day":5,"nano_usd_per_week":0,"nano_usd_per_month":0,"nano_usd_total":7},
		"spent":[{"member":"ada","window":"day","period":"2026-11-17","nano_usd":4,"limit_nano_usd":5},
			{"member":null,"window":"day","period":"2026-11-17","nano_usd":3,"limit_nano_usd":5}]}]}`, b.api("GET", "/budgets", "").body)
	require.JSONEq(t, `{"items":[]}`, stranger.api("GET", "/budgets", "").body)
	require.Equal(t, http.StatusNotFound, stranger.api("DELETE", "/budgets/id%20of%20users", "").status)
	require.Equal(t, http.StatusBadRequest, b.api("POST", "/budgets", `{"name":"x","limit":5}`).status)
	require.Equal(t, http.StatusNoContent, b.api("DELETE", "/budgets/id%20of%20users", "").status)
	require.JSONEq(t, `{"items":[]}`, b.api("GET", "/budgets", "").body)
}
