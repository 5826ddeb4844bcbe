package dashboard_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
	"github.com/signalbox/signalbox/services/dashboard"
	"github.com/signalbox/signalbox/services/dashboard/internal/alert"
)

const alertRule = `{"name":"Errors","kind":"%s","threshold":5,"window_seconds":900,"min_requests":10,"enabled":true,"channels":[%s]}`

type alertsPage struct {
	Kinds    []struct{ Kind, Runbook string }
	Rules    []struct{ ID, Name string }
	Channels []struct {
		ID, Name, Address string
		Signed            bool
		LastError         *string `json:"last_error"`
	}
}

// TestAlertsStayInTheirAccount tries every call with the ids of another account.
func TestAlertsStayInTheirAccount(t *testing.T) {
	h := newTestEnv(t, "")
	a, _ := h.registerUser("a@example.com")
	b, _ := h.registerUser("b@example.com")
	const hook = `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/token?secret=1"}`
	made := a.api("POST", "/alerts/channels", hook)
	require.Equal(t, http.StatusCreated, made.status, made.body)
	require.Contains(t, made.json(t)["secret"], "whsec_")
	channel := made.json(t)["id"].(string)
	rule := a.api("POST", "/alerts/rules", fmt.Sprintf(alertRule, "error_rate", `"`+channel+`"`)).json(t)["id"].(string)

	var page alertsPage
	b.read("/alerts", &page)
	require.Empty(t, page.Rules)
	require.Empty(t, page.Channels)
	for _, call := range [][3]string{
		{"PUT", "/alerts/channels/" + channel, hook},
		{"DELETE", "/alerts/channels/" + channel, ""},
		{"POST", "/alerts/channels/" + channel + "/test", ""},
		{"PUT", "/alerts/rules/" + rule, fmt.Sprintf(alertRule, "error_rate", "")},
		{"DELETE", "/alerts/rules/" + rule, ""},
	} {
		b.api(call[0], call[1], call[2]).requireError(t, http.StatusNotFound, "NOT_FOUND")
	}
	details := b.api("POST", "/alerts/rules", fmt.Sprintf(alertRule, "error_rate", `"`+channel+`"`)).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "channels", details["param"])

	a.read("/alerts", &page)
	require.Len(t, page.Rules, 1)
	require.Len(t, page.Channels, 1)
	require.Equal(t, "https://hooks.example.com/…", page.Channels[0].Address)
	require.True(t, page.Channels[0].Signed)
	require.NotContains(t, a.api("GET", "/alerts", "").body, "secret=1")
	require.NotContains(t, a.api("GET", "/alerts", "").body, "whsec_")
}

func (a *accounts) RecordAlertChange(_ context.Context, r *keyauthv1.RecordAlertChangeRequest) (*keyauthv1.RecordAlertChangeResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.alertChanges = append(a.alertChanges, r)
	return &keyauthv1.RecordAlertChangeResponse{}, nil
}

func TestChangesOfAlertsAreInTheAuditLog(t *testing.T) {
	h := newTestEnv(t, "")
	a, _ := h.registerUser("a@example.com")
	id := func(method, path, body string) string { return a.api(method, path, body).json(t)["id"].(string) }
	const hook = `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/t0ken?secret=1"`
	channel := id("POST", "/alerts/channels", hook+`}`)
	other := id("POST", "/alerts/channels", hook+`}`)
	rule := fmt.Sprintf(alertRule, "error_rate", `"`+channel+`"`)
	created := id("POST", "/alerts/rules", rule)
	id("PUT", "/alerts/rules/"+created, strings.Replace(rule, "true", "false", 1))
	id("PUT", "/alerts/rules/"+created, strings.Replace(rule, "true", "false", 1)) // changes nothing
	id("PUT", "/alerts/rules/"+created, strings.Replace(fmt.Sprintf(alertRule, "error_rate", `"`+other+`"`), "true", "false", 1))
	id("PUT", "/alerts/channels/"+channel, `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/an0ther","quiet_hours":{"from":1320,"to":390,"zone":""}}`)
	for _, path := range []string{"/alerts/rules/" + created, "/alerts/channels/" + channel} {
		require.Equal(t, http.StatusNoContent, a.api("DELETE", path, "").status)
		a.api("DELETE", path, "").requireError(t, http.StatusNotFound, "NOT_FOUND")
	}
	a.api("POST", "/alerts/rules", fmt.Sprintf(alertRule, "unknown", "")).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")

	type fields = map[string]string
	on := fields{"name": "Errors", "kind": "error_rate", "threshold": "5 %", "window": "15 minutes", "min_requests": "10", "state": "on", "channels": "Hook (webhook " + channel + ")"}
	off := maps.Clone(on)
	off["state"] = "off"
	elsewhere := maps.Clone(off)
	elsewhere["channels"] = "Hook (webhook " + other + ")"
	to := fields{"name": "Hook", "kind": "webhook", "address": "https://hooks.example.com/…"}
	quiet := fields{"name": "Hook", "kind": "webhook", "address": "https://hooks.example.com/…", "quiet_hours": "22:00 to 06:30 UTC"}
	moved := maps.Clone(quiet)
	moved["address"] += " (another path)"
	want := []struct {
		action, subject string
		before, after   fields
	}{
		{"create_channel", channel, nil, to}, {"create_channel", other, nil, to}, {"create", created, nil, on}, {"update", created, on, off},
		{"update", created, off, elsewhere}, {"update_channel", channel, to, moved}, {"delete", created, elsewhere, nil}, {"delete_channel", channel, quiet, nil},
	}
	require.Len(t, h.accounts.alertChanges, len(want), "what did not happen is not recorded")
	for i, w := range want {
		got := h.accounts.alertChanges[i]
		require.NotEmpty(t, got.GetActor().GetUserId())
		require.Equal(t, []any{w.action, w.subject, w.before, w.after}, []any{got.GetAction(), got.GetSubject(), got.GetBefore(), got.GetAfter()})
		require.NotRegexp(t, "t0ken|an0ther|secret|whsec_", got.String())
	}
}

func TestAlertsOfTheInstallationAreForItsOperator(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	operator := h.claimOperator()
	const down = `{"name":"Down","kind":"provider_down","threshold":1,"window_seconds":0,"min_requests":0,"enabled":true,"channels":[]}`
	details := b.api("POST", "/alerts/rules", down).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "kind", details["param"])
	require.Equal(t, http.StatusCreated, operator.api("POST", "/alerts/rules", down).status)
	var own, all alertsPage
	b.read("/alerts", &own)
	operator.read("/alerts", &all)
	require.Len(t, own.Kinds, 5)
	require.Len(t, all.Kinds, len(alert.Kinds()))
	b.api("GET", "/alerts/values?kind=provider_down", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

// TestAlertValuesAreThoseOfTheEvaluation checks that an account sees its own current error rate,
// without rejected requests.
func TestAlertValuesAreThoseOfTheEvaluation(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	other, _ := h.registerUser("b@example.com")
	at := timestamppb.Now()
	build := func(n int, outcome recordv1.Outcome) *recordv1.RequestRecord {
		return newRecord(account, n, func(r *recordv1.RequestRecord) { r.Outcome, r.Time = outcome, at })
	}
	h.publish(build(1, recordv1.Outcome_OUTCOME_OK), build(2, recordv1.Outcome_OUTCOME_OK), build(3, recordv1.Outcome_OUTCOME_OK),
		build(4, recordv1.Outcome_OUTCOME_ERROR), build(5, recordv1.Outcome_OUTCOME_REJECTED))
	const path = "/alerts/values?kind=error_rate&window_seconds=900"
	require.JSONEq(t, `{"items":[{"subject":null,"value":25,"detail":"1 of 4 requests"}]}`, b.api("GET", path, "").body)
	require.JSONEq(t, `{"items":[{"subject":null,"value":0,"detail":null}]}`, other.api("GET", path, "").body)
	details := b.api("GET", "/alerts/values?kind=error_rate&window_seconds=7", "").requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
	require.Equal(t, "window_seconds", details["param"])
}

func TestChannelsAreChecked(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	operator := h.claimOperator()
	post := func(who *browser, kind, address string) response {
		return who.api("POST", "/alerts/channels", fmt.Sprintf(`{"name":"C","kind":%q,"address":%q}`, kind, address))
	}
	for kind, addresses := range map[string][]string{
		"webhook": {"http://example.com/", "https://10.0.0.1/", "https://[::1]/", "https://169.254.169.254/latest", "https://user@example.com/", "ftp://x", ""},
		"slack":   {"https://127.0.0.1/"},
		"email":   {"stranger@example.com", "nothing", "a@example.com\nBcc: b@example.com"},
		"pager":   {"https://example.com/"},
	} {
		for _, address := range addresses {
			post(b, kind, address).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
		}
	}
	require.Equal(t, http.StatusCreated, post(b, "email", "A@example.com").status)
	require.Equal(t, http.StatusCreated, post(operator, "email", "oncall@example.com").status)

	// A name that resolves to a private address is rejected when it is dialed.
	id := post(b, "webhook", "https://localhost:1/").json(t)["id"].(string)
	tested := b.api("POST", "/alerts/channels/"+id+"/test", "")
	require.Equal(t, "the address is not public", tested.json(t)["error"])
	for range 10 {
		tested = b.api("POST", "/alerts/channels/"+id+"/test", "")
	}
	tested.requireError(t, http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")

	// An empty address keeps the stored one.
	require.Equal(t, "https://localhost:1/…", b.api("PUT", "/alerts/channels/"+id, `{"name":"Renamed","kind":"webhook"}`).json(t)["address"])
	b.api("PUT", "/alerts/channels/"+id, `{"name":"C","kind":"slack"}`).requireError(t, http.StatusBadRequest, "INVALID_REQUEST")
}

func TestMembersReadAlertsOnly(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	h.accounts.people["a@example.com"].identity.User.Role = keyauthv1.Role_ROLE_MEMBER
	require.Equal(t, http.StatusOK, b.api("GET", "/alerts", "").status)
	b.api("POST", "/alerts/rules", fmt.Sprintf(alertRule, "error_rate", "")).requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
}

// TestAnotherAlertKeySwitchesAlertsOff checks that a dashboard with another key file serves
// everything but alerts, and that the right file brings them back.
func TestAnotherAlertKeySwitchesAlertsOff(t *testing.T) {
	data := t.TempDir()
	key := filepath.Join(data, "alert-key")
	var first []byte
	t.Run("first", func(t *testing.T) {
		newTestEnvWith(t, dashboard.Config{Data: data})
		var err error
		first, err = os.ReadFile(key)
		require.NoError(t, err)
		info, err := os.Stat(key)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	})
	t.Run("another", func(t *testing.T) {
		require.NoError(t, os.WriteFile(key, []byte(strings.Repeat("x", 32)), 0o600))
		b, _ := newTestEnvWith(t, dashboard.Config{Data: data}).registerUser("a@example.com")
		require.Contains(t, b.api("GET", "/alerts", "").json(t)["error"], "--alert-key-file")
		require.Equal(t, http.StatusOK, b.api("GET", "/overview", "").status)
	})
	t.Run("unreadable", func(t *testing.T) {
		cfg := dashboard.Config{Data: data, AlertKeyFile: filepath.Join(data, "alert-key", "none")}
		b, _ := newTestEnvWith(t, cfg).registerUser("a@example.com")
		require.Contains(t, b.api("GET", "/alerts", "").json(t)["error"], "--alert-key-file")
	})
	t.Run("the first again", func(t *testing.T) {
		require.NoError(t, os.WriteFile(key, first, 0o600))
		b, _ := newTestEnvWith(t, dashboard.Config{Data: data}).registerUser("a@example.com")
		require.Equal(t, http.StatusOK, b.api("GET", "/alerts", "").status)
	})
}

// TestEveryKindHasARunbook looks for the headings in the documentation, and for the sentences that
// the form shows about the kind.
func TestEveryKindHasARunbook(t *testing.T) {
	text, err := os.ReadFile("../../docs/alerts.md")
	require.NoError(t, err)
	for _, k := range alert.Kinds() {
		_, anchor, _ := strings.Cut(k.Kind.Runbook(), "#")
		found := false
		for line := range strings.Lines(string(text)) {
			heading, ok := strings.CutPrefix(strings.TrimSpace(line), "## ")
			found = found || ok && strings.ReplaceAll(strings.ToLower(heading), " ", "-") == anchor
		}
		require.True(t, found, k.Kind)
		require.Contains(t, strings.Join(strings.Fields(string(text)), " "), "*"+k.About+"*")
	}
}
