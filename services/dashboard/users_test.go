package dashboard_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// joined invites a user into the account of b and returns the user's browser.
func (b *browser) joined(email, role string) *browser {
	made := b.api("POST", "/invites", `{"role":"`+role+`"}`)
	require.Equal(b.h.t, http.StatusCreated, made.status, made.body)
	other := b.h.browser()
	a := other.api("POST", "/invites/accept", `{"token":"`+made.json(b.h.t)["token"].(string)+`","email":"`+email+`","password":"another horse"}`)
	require.Equal(b.h.t, http.StatusOK, a.status, a.body)
	return other
}

func TestPeopleComeByInvite(t *testing.T) {
	h := newTestEnv(t, "https://signalbox.example.com")
	b := h.browser()
	cookie := func(token string) map[string]string {
		return map[string]string{"Cookie": "__Host-signalbox_session=" + token, "Content-Type": "application/json"}
	}
	b.api("POST", "/register", credentials)
	a := b.send("POST", "/api/v1/invites", `{"role":"member"}`, cookie("token-1"))
	require.Equal(t, http.StatusCreated, a.status)
	require.JSONEq(t, `{"id":"inv_1","token":"invite+1","url":"https://signalbox.example.com/invite?token=invite%2B1","expires_at":"2026-11-01T08:00:00.000000Z"}`, a.body)
	a = b.send("GET", "/api/v1/invites", "", cookie("token-1"))
	require.JSONEq(t, `{"items":[{"id":"inv_1","role":"member","new_account":false,"created_at":"2026-11-01T08:00:00.000000Z",
		"expires_at":"2026-11-01T08:00:00.000000Z","user_id":"usr_1"}]}`, a.body)

	join := `{"token":"invite+1","email":"m@example.com","password":"another horse"}`
	a = h.browser().api("POST", "/invites/accept", join)
	require.JSONEq(t, `{"account":{"id":"acc_1","name":""},"user":{"email":"m@example.com","role":"member"}}`, a.body)
	require.Contains(t, a.header.Get("Set-Cookie"), "__Host-signalbox_session=token-2;")
	h.browser().api("POST", "/invites/accept", join).requireError(t, http.StatusForbidden, "TOKEN_INVALID")
}

func TestPeopleAndTheirRoles(t *testing.T) {
	h := newTestEnv(t, "")
	owner, _ := h.registerUser("a@example.com")
	member := owner.joined("m@example.com", "member")
	a := owner.api("GET", "/users", "")
	require.JSONEq(t, `{"items":[
		{"id":"usr_1","email":"a@example.com","role":"owner","created_at":"2026-11-01T08:00:00.000000Z"},
		{"id":"usr_2","email":"m@example.com","role":"member","created_at":"2026-11-01T08:00:00.000000Z"}]}`, a.body)
	require.Equal(t, "viewer", owner.api("PATCH", "/users/usr_2", `{"role":"viewer"}`).json(t)["role"])
	for body, param := range map[string]string{
		`{}`: "role", `{"role":"operator"}`: "role", `{"role":""}`: "role", `{"role":"owner","account_id":"acc_9"}`: "account_id",
		`{"role":"owner","email":"x@example.com"}`: "email", `{"role":"owner","operator":true}`: "operator",
	} {
		details := owner.api("PATCH", "/users/usr_2", body).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"], body)
	}
	require.Equal(t, keyauthv1.Role_ROLE_VIEWER, h.accounts.people["m@example.com"].identity.GetUser().GetRole())
	owner.api("PATCH", "/users/%ff", `{"role":"viewer"}`).requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.Equal(t, http.StatusNoContent, owner.api("DELETE", "/users/usr_2", "").status)
	member.api("GET", "/session", "").requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
}

func TestInvitesAreMadeAndRevoked(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	made := b.api("POST", "/invites", `{"new_account":true}`)
	require.Equal(t, "/invite?token=invite%2B1", made.json(t)["url"], "the host that was asked may be anybody's")
	waits := b.api("GET", "/invites", "").json(t)["items"].([]any)[0].(map[string]any)
	require.Equal(t, true, waits["new_account"])
	require.Equal(t, waits["id"], made.json(t)["id"])
	for body, param := range map[string]string{
		`{}`: "role", `{"role":"boss"}`: "role", `{"new_account":true,"role":"viewer"}`: "role",
		`{"role":"viewer","account_id":"acc_9"}`: "account_id",
	} {
		details := b.api("POST", "/invites", body).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"], body)
	}
	require.Len(t, h.accounts.invites, 1)
	require.Equal(t, http.StatusNoContent, b.api("DELETE", "/invites/inv_1", "").status)
	b.api("DELETE", "/invites/inv_1", "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	require.JSONEq(t, `{"items":[]}`, b.api("GET", "/invites", "").body)
}

func TestAudit(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	h.accounts.events = []*keyauthv1.AuditEvent{
		{Version: 3, Time: timestamppb.New(created), Action: "account.create", Subject: "acc_1", AfterJson: `{"name":"Acme"}`},
		{
			Version: 7, Time: timestamppb.New(created), UserId: "usr_1", Email: "a@example.com", Action: "key.update", Subject: "key_1",
			BeforeJson: `{"name":"old"}`, AfterJson: `{"name":"new"}`,
		},
		{Version: 8, Time: timestamppb.New(created), Action: "odd", BeforeJson: "{"},
	}
	page := b.api("GET", "/audit?limit=2", "")
	require.JSONEq(t, `{"items":[
		{"id":8,"time":"2026-11-01T08:00:00.000000Z","user_id":null,"email":null,"action":"odd","subject":null,"before":null,"after":null},
		{"id":7,"time":"2026-11-01T08:00:00.000000Z","user_id":"usr_1","email":"a@example.com","action":"key.update","subject":"key_1",
			"before":{"name":"old"},"after":{"name":"new"}}],"next_cursor":"7"}`, page.body)
	last := b.api("GET", "/audit?limit=2&cursor=7", "").json(t)
	require.Len(t, last["items"], 1)
	require.Nil(t, last["next_cursor"])
	for query, param := range map[string]string{"cursor=x": "cursor", "cursor=-1": "cursor", "limit=0": "limit", "account=acc_2": "account"} {
		details := b.api("GET", "/audit?"+query, "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		require.Equal(t, param, details["param"])
	}
}

func TestTheAuditLogIsFilteredAndExported(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for v := range int64(450) {
		h.accounts.events = append(h.accounts.events, &keyauthv1.AuditEvent{
			Version: v + 1, Time: timestamppb.New(created), Email: "a@example.com", Action: "key.create", Subject: "=cmd()", BeforeJson: "{}", AfterJson: `{"name":"a\nb;=c"}`,
		})
	}
	all := b.api("GET", "/audit/export?format=csv&action=key&user=A&subject=s&from=2026-11-01&to=2026-11-02", "")
	require.Equal(t, http.StatusOK, all.status, all.body)
	rows, err := csv.NewReader(strings.NewReader(all.body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 451, "every page")
	require.Equal(t, []string{"id", "time", "user_id", "email", "action", "subject", "before", "after"}, rows[0])
	require.Equal(t, []string{"450", "2026-11-01T08:00:00.000000Z", "", "a@example.com", "key.create", "'=cmd()", "{}", `{"name":"a\nb\u003b=c"}`}, rows[1])
	q := h.accounts.audited
	require.Equal(t, []string{"key", "A", "s"}, []string{q.GetAction(), q.GetEmail(), q.GetSubject()})
	require.Equal(t, []int64{1793491200, 1793577600}, []int64{q.GetFrom().GetSeconds(), q.GetTo().GetSeconds()})

	lines := strings.Split(strings.TrimSpace(b.api("GET", "/audit/export?format=ndjson", "").body), "\n")
	require.Len(t, lines, 450)
	require.Contains(t, lines[0], `"id":450`)
	for query, param := range map[string]string{
		"": "format", "format=xml": "format", "format=csv&from=x": "from", "format=csv&user=%ff": "user", "format=csv&action=%00": "action", "format=csv&limit=1": "limit",
	} {
		require.Equal(t, param, b.api("GET", "/audit/export?"+query, "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")["param"], query)
	}
}

func TestAccountsAreForTheOperator(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	b.api("GET", "/accounts", "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
	operator := h.claimOperator()
	page := operator.api("GET", "/accounts?limit=7&cursor=x", "").json(t)
	require.Len(t, page["items"], 2)
	require.Equal(t, "after-x7", page["next_cursor"])
	for _, role := range []string{"viewer", "member"} {
		helper := operator.joined(role+"@example.com", role)
		helper.api("GET", "/accounts", "").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
		require.Equal(t, http.StatusOK, helper.api("GET", "/providers", "").status)
	}
}
