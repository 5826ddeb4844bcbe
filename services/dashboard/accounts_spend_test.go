package dashboard_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOperatorSeesSpendOfAccounts checks the list of accounts and the spend of one of
// them, with both databases.
func TestOperatorSeesSpendOfAccounts(t *testing.T) {
	eachStore(t, func(t *testing.T, h *testEnv) {
		operator := h.claimOperator()
		b, account := h.registerUser("a@example.com")
		_, other := h.registerUser("b@example.com")
		b.api("PATCH", "/account", `{"limits":{"nano_usd_per_month":900}}`)
		now, _, month := ourDays()
		h.publish(cost(account, "key_1", now, 100), cost(account, "key_2", month, 20), cost(other, "key_1", now, 7))

		spent := map[string]any{}
		for _, one := range operator.api("GET", "/accounts", "").json(t)["items"].([]any) {
			a := one.(map[string]any)
			spent[a["id"].(string)] = a["spent"].(map[string]any)["month"].(map[string]any)["nano_usd"]
			if a["id"] == account {
				require.Equal(t, 900.0, a["limits"].(map[string]any)["nano_usd_per_month"])
			}
		}
		require.Equal(t, 120.0, spent[account])
		require.Equal(t, 7.0, spent[other])

		got := operator.api("GET", "/accounts/"+account+"/spend", "").json(t)
		require.Equal(t, map[string]any{"id": account, "name": "a@example.com"}, got["account"])
		require.Equal(t, 120.0, got["routed_nano_usd"])
		require.Len(t, got["groups"], 2)
	})
}

// TestAccountSpendIsForOperatorOwners checks that no other user sees the spend of another
// account, and that the operator sees sums by key, model and provider only.
func TestAccountSpendIsForOperatorOwners(t *testing.T) {
	h := newTestEnv(t, "")
	operator := h.claimOperator()
	owner, account := h.registerUser("a@example.com")
	path := "/accounts/" + account + "/spend"
	owner.api("GET", path, "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
	for _, role := range []string{"viewer", "member"} {
		invite := operator.api("POST", "/invites", `{"role":"`+role+`"}`).json(t)
		helper := h.browser()
		joined := helper.api("POST", "/invites/accept", `{"token":"`+invite["token"].(string)+`","email":"`+role+`@example.com","password":"correct horse"}`)
		require.Equal(t, http.StatusOK, joined.status, joined.body)
		helper.api("GET", path, "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
	}
	for _, query := range []string{"?group_by=user", "?group_by=session", "?group_by=tag", "?group_by=meta.team", "?filter=user:ann"} {
		operator.api("GET", path+query, "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	}
	operator.api("GET", "/accounts/nobody/spend", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	operator.api("GET", "/accounts/%ff/spend", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
}
