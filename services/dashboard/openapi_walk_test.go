package dashboard_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/records"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

// walk calls the described operations and checks each response.
type walk struct {
	t    *testing.T
	d    *description
	done map[string]bool
}

// call calls "GET /requests/{id}" with the id and suffix given. It requires a
// success.
func (w *walk) call(b *browser, route, id, query, body string) response {
	w.t.Helper()
	method, path, _ := strings.Cut(route, " ")
	o, ok := w.d.Paths[path][strings.ToLower(method)]
	require.True(w.t, ok, route)
	if body != "" {
		require.NoError(w.t, w.d.checkText(o.RequestBody.Content["application/json"].Schema, body), route)
	}
	a := b.api(method, strings.ReplaceAll(path, "{id}", id)+query, body)
	require.Less(w.t, a.status, 300, "%s: %s", route, a.body)
	require.NoError(w.t, w.d.answered(o, a), "%s: %s", route, a.body)
	w.done[route] = true
	return a
}

// TestResponsesMatchDescription calls every route of an installation that has data of
// every kind.
func TestResponsesMatchDescription(t *testing.T) {
	h := newTestEnv(t, "")
	b := h.browser()
	w := &walk{t: t, d: described(t, b), done: map[string]bool{}}
	w.call(b, "GET /openapi.json", "", "", "")
	w.call(b, "POST /register", "", "", `{"email":"a@example.com","password":"correct horse","name":"A"}`)
	account := b.api("GET", "/account", "").json(t)["id"].(string)
	operator := h.browser()
	w.call(operator, "POST /claim", "", "", `{"token":"`+claimToken+`","email":"o@example.com","password":"correct horse"}`)
	seedWalk(t, h, account)
	w.account(h, b)
	w.ledger(b, idOf(full(account)))
	w.installation(operator)
	w.stream(h, b, account)
	w.call(b, "POST /logout", "", "", "")
	for path, all := range w.d.Paths {
		for method := range all {
			require.True(t, w.done[strings.ToUpper(method)+" "+path], "the walk did not call %s %s", method, path)
		}
	}
	// Errors have a described shape, too.
	a := b.api("GET", "/requests", "")
	require.Equal(t, http.StatusUnauthorized, a.status)
	require.NoError(t, w.d.answered(w.d.Paths["/requests"]["get"], a))
}

// seedWalk stores a record of every kind, dead letters and a gap.
func seedWalk(t *testing.T, h *testEnv, account string) {
	h.publish(full(account), bare(account), newRecord("", 1, nil),
		newRecord(account, 2, func(r *recordv1.RequestRecord) { r.Schema = 99 }), newRecord(account, 3, nil),
		refusal(account, "key_1", time.Now(), "RATE_LIMIT_EXCEEDED", "the key's limit of 60 requests per minute is reached."))
	late := []records.Entry{{Producer: "proxy-1", Seq: 8, Record: []byte("?")}}
	require.NoError(t, h.carrier.Publish(t.Context(), late))
	h.waitCommitted(records.Range{First: 8, Last: 8})
}

func (w *walk) account(h *testEnv, b *browser) {
	w.call(b, "GET /session", "", "", "")
	w.call(b, "GET /account", "", "", "")
	w.call(b, "PATCH /account", "", "", `{"name":"B","capture":"redacted","content_days":7,"baseline_model":null,"allow_experiments":true}`)
	w.call(b, "PATCH /account", "", "", `{"limits":{"requests_per_minute":60,"nano_usd_per_day":null},"webhook":{"url":"https://hooks.example.com/x"}}`)
	w.call(b, "POST /account/webhook/secret", "", "", "")
	w.call(b, "POST /account/webhook/test", "", "", "")
	w.call(b, "GET /account", "", "", "")
	invite := w.call(b, "POST /invites", "", "", `{"role":"member"}`).json(w.t)
	w.call(b, "GET /invites", "", "", "")
	second := h.browser()
	w.call(second, "POST /invites/accept", "", "", `{"token":"`+invite["token"].(string)+`","email":"b@example.com","password":"correct horse"}`)
	spare := w.call(b, "POST /invites", "", "", `{"new_account":true}`).json(w.t)
	w.call(b, "DELETE /invites/{id}", spare["id"].(string), "", "")
	people := w.call(b, "GET /users", "", "", "").json(w.t)["items"].([]any)
	other := people[1].(map[string]any)["id"].(string)
	w.call(b, "PATCH /users/{id}", other, "", `{"role":"viewer"}`)
	w.call(b, "DELETE /users/{id}", other, "", "")
	h.accounts.events = []*keyauthv1.AuditEvent{{Version: 1, Action: "key.create", BeforeJson: "null", AfterJson: `{"name":"prod"}`}, {Version: 2}}
	w.call(b, "GET /audit", "", "?limit=1", "")
	w.call(b, "GET /audit", "", "?cursor=2", "")
	w.call(b, "GET /audit", "", "?action=key&user=a&subject=x&from=2026-11-01&to=2026-11-02", "")
	w.call(b, "GET /audit/export", "", "?format=csv", "")
	w.call(b, "GET /audit/export", "", "?format=ndjson&action=key&user=a&subject=x&from=2026-11-01&to=2026-11-02", "")
	w.keys(b)
	token := w.call(b, "POST /tokens", "", "", `{"name":"ci","scopes":["read"],"expires_at":null}`).json(w.t)
	w.call(b, "GET /tokens", "", "", "")
	w.call(b, "DELETE /tokens/{id}", token["id"].(string), "", "")
	w.alerts(b)
	w.signIns(h, b)
}

func (w *walk) keys(b *browser) {
	made := w.call(b, "POST /keys", "", "", `{"name":"prod","scopes":["chat"],"models":["auto"],"limits":{"requests_per_minute":60},"budget":null}`).json(w.t)
	id := made["id"].(string)
	w.call(b, "GET /keys", "", "", "")
	w.call(b, "GET /limits", "", "", "")
	w.call(b, "GET /limits", "", "?key="+id, "")
	budget := w.call(b, "POST /budgets", "", "", `{"name":"users","kind":"user","value":"*","amounts":{"nano_usd_per_day":5,"nano_usd_total":0}}`).json(w.t)
	w.call(b, "GET /budgets", "", "", "")
	w.call(b, "DELETE /budgets/{id}", budget["id"].(string), "", "")
	w.call(b, "PATCH /keys/{id}", id, "", `{"tags":["eu"],"expires_at":"2027-01-01T00:00:00Z","error_format":"openai","user":"ada","agent":null}`)
	w.call(b, "POST /keys/{id}/rotate", id, "", `{"overlap_seconds":60}`)
	w.call(b, "DELETE /keys/{id}", id, "", "")
}

func (w *walk) alerts(b *browser) {
	const rule = `{"name":"Errors","kind":"error_rate","threshold":5,"window_seconds":900,"min_requests":10,"enabled":true,"channels":["%s"]}`
	channel := w.call(b, "POST /alerts/channels", "", "", `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/x","quiet_hours":{"from":1320,"to":360,"zone":"Europe/Berlin"}}`).json(w.t)["id"].(string)
	w.call(b, "PUT /alerts/channels/{id}", channel, "", `{"name":"Hook","kind":"webhook"}`)
	made := w.call(b, "POST /alerts/rules", "", "", fmt.Sprintf(rule, channel)).json(w.t)["id"].(string)
	w.call(b, "PUT /alerts/rules/{id}", made, "", fmt.Sprintf(rule, channel))
	w.call(b, "GET /alerts", "", "", "")
	w.call(b, "GET /alerts/values", "", "?kind=error_rate&window_seconds=900", "")
	w.call(b, "POST /alerts/channels/{id}/test", channel, "", "")
	w.call(b, "DELETE /alerts/rules/{id}", made, "", "")
	w.call(b, "DELETE /alerts/channels/{id}", channel, "", "")
}

func (w *walk) signIns(h *testEnv, b *browser) {
	w.call(h.browser(), "POST /login", "", "", `{"email":"a@example.com","password":"correct horse"}`)
	for _, one := range w.call(b, "GET /sign-ins", "", "", "").json(w.t)["items"].([]any) {
		if s := one.(map[string]any); s["current"] == false {
			w.call(b, "DELETE /sign-ins/{id}", s["id"].(string), "", "")
		}
	}
	w.call(b, "DELETE /sign-ins", "", "", "")
	w.call(b, "POST /password", "", "", `{"current":"correct horse","password":"battery staple"}`)
	h.accounts.invites[resetToken] = &invite{email: "a@example.com"}
	w.call(b, "POST /password/set", "", "", `{"token":"`+resetToken+`","password":"correct horse"}`)
}

func (w *walk) ledger(b *browser, id string) {
	const span = "?from=2026-11-14&to=2026-11-15"
	w.call(b, "GET /errors", "", "", "")
	w.call(b, "GET /requests", "", "?limit=1", "")
	w.call(b, "GET /requests", "", "", "")
	w.call(b, "POST /requests/{id}/feedback", id, "", `{"verdict":"down","reason":"wrong"}`)
	w.call(b, "POST /feedback", "", "", `[{"request_id":"`+id+`","score":0.5,"source":"survey"}]`)
	w.call(b, "POST /playground", "", "", runBody)
	w.call(b, "POST /playground/estimate", "", "", `{"models":["auto"],"body":{"messages":[{"role":"user","content":"hi"}]}}`)
	shared := w.call(b, "POST /playground/shares", "", "", `{"models":["auto"],"body":{"messages":[]}}`).json(w.t)["id"].(string)
	w.call(b, "GET /playground/shares/{id}", shared, "", "")
	w.call(b, "GET /requests/{id}", id, "", "")
	w.call(b, "GET /requests/export", "", span+"&format=csv", "")
	w.call(b, "GET /requests/export", "", span+"&format=ndjson", "")
	w.call(b, "GET /requests/export/manifest", "", span+"&format=csv", "")
	w.call(b, "GET /requests/histogram", "", span, "")
	w.call(b, "GET /requests", "", span+"&sort=cost&order=asc", "")
	w.call(b, "GET /requests/facets", "", span+"&field=model", "")
	view := w.call(b, "POST /views", "", "", `{"name":"Errors","query":"q=has%3Aerror","shared":true}`).json(w.t)["id"].(string)
	w.call(b, "GET /views", "", "", "")
	w.call(b, "DELETE /views/{id}", view, "", "")
	w.call(b, "GET /overview", "", span, "")
	w.call(b, "GET /overview", "", "?from=2025-01-01&to=2025-01-02", "")
	for _, by := range []string{"", "model", "provider", "key", "day", "route", "requested_model", "code", "protocol", "agent", "session", "user", "tag", "rule", "endpoint", "meta.team"} {
		w.call(b, "GET /impact", "", span+"&group_by="+by, "")
	}
	w.call(b, "GET /impact", "", span+"&format=csv", "")
	w.call(b, "GET /spend", "", span+"&group_by=tag", "")
	w.call(b, "GET /spend/top", "", span, "")
	w.call(b, "GET /spend/volume", "", span+"&measure=tokens&group_by=model", "")
	w.call(b, "GET /spend/forecast", "", "", "")
	w.call(b, "GET /attempts", "", span, "")
	w.call(b, "GET /quality", "", "?from=2026-11-01&to=2027-01-01", "")
	w.call(b, "GET /quality", "", "", "")
	w.call(b, "GET /experiments", "", "?from=2026-11-01&to=2027-01-01", "")
	w.call(b, "GET /sessions", "", span+"&agent=claude-code&user=ann&search=work&sort=cost&limit=1", "")
	w.call(b, "GET /sessions", "", "?limit=1", "")
	w.call(b, "GET /sessions/{id}", "work%2F1", "?limit=1", "")
	w.call(b, "GET /models", "", "", "")
	w.call(b, "GET /models", "", "?catalog=true", "")
}

func (w *walk) installation(operator *browser) {
	w.call(operator, "GET /accounts", "", "?limit=1", "")
	w.call(operator, "GET /accounts/{id}/spend", "acc_1", "", "")
	w.call(operator, "GET /completeness", "", "", "")
	w.call(operator, "GET /dead-letters", "", "", "")
	w.call(operator, "POST /dead-letters/replay", "", "", `{"all":true}`)
	w.call(operator, "GET /providers", "", "", "")
	w.call(operator, "POST /providers/local", "", "", "")
	w.call(operator, "POST /providers/drain", "", "", `{"model":"small","reason":"slow"}`)
	w.call(operator, "POST /providers/resume", "", "", `{"model":"small"}`)
	w.call(operator, "GET /system", "", "", "")
	w.policy(operator)
	w.rollouts(operator)
}

// stream reads one event and checks its rows like those of a list.
func (w *walk) stream(h *testEnv, b *browser, account string) {
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, h.url+"/api/v1/requests/stream", nil)
	require.NoError(w.t, err)
	resp, err := b.http.Do(r)
	require.NoError(w.t, err)
	defer func() { require.NoError(w.t, resp.Body.Close()) }()
	require.Equal(w.t, "text/event-stream", resp.Header.Get("Content-Type"))
	lines := bufio.NewScanner(resp.Body)
	require.True(w.t, lines.Scan(), "it begins at once")
	h.publish(newRecord(account, 9, nil))
	for lines.Scan() {
		if rows, ok := strings.CutPrefix(lines.Text(), "data: "); ok && rows != "{}" { // {} is the start event
			list := schema{Type: oneOrMore{"array"}, Items: &schema{Ref: "Request"}}
			require.NoError(w.t, w.d.checkText(list, rows), rows)
			w.done["GET /requests/stream"] = true
			return
		}
	}
	require.Fail(w.t, "no rows came", "%v", lines.Err())
}
