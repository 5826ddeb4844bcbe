package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// route is a line of the dashboard's route list. The dashboard's tests compare the list
// with its routing table, so a new route is always tested here.
type route struct{ who, method, path string }

func dashboardRoutes(t *testing.T) (all []route) {
	list, err := os.ReadFile("../../services/dashboard/testdata/routes.txt")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^(\w+\+?) +([A-Z]+) +(/\S*)$`).FindAllStringSubmatch(string(list), -1) {
		all = append(all, route{m[1], m[2], strings.ReplaceAll(m[3], "{$}", "")})
	}
	require.NotEmpty(t, all)
	return all
}

func (r route) String() string { return r.method + " " + r.path }

func (r route) api() bool { return strings.HasPrefix(r.path, "/api/") }

// kind returns the kind of object that the id in the path belongs to: the word before it.
func (r route) kind() string {
	before, _, found := strings.Cut(r.path, "/{id}")
	if !found {
		return ""
	}
	return before[strings.LastIndexByte(before, '/')+1:]
}

const alertRule = `{"name":"Errors","kind":"error_rate","threshold":5,"window_seconds":900,"min_requests":10,"enabled":true,"channels":[]}`

// bodies holds valid request bodies.
var bodies = map[string]string{
	"PATCH /api/v1/account":                `{"name":"renamed"}`,
	"POST /api/v1/account/webhook/secret":  "",
	"POST /api/v1/account/webhook/test":    "",
	"PATCH /api/v1/users/{id}":             `{"role":"viewer"}`,
	"POST /api/v1/invites":                 `{"role":"viewer"}`,
	"POST /api/v1/budgets":                 `{"name":"users","kind":"user","value":"*","amounts":{"nano_usd_per_day":5000000000}}`,
	"POST /api/v1/keys":                    `{"name":"another"}`,
	"PATCH /api/v1/keys/{id}":              `{"name":"renamed"}`,
	"POST /api/v1/keys/{id}/rotate":        `{"overlap_seconds":60}`,
	"POST /api/v1/tokens":                  `{"name":"ci","scopes":["read"]}`,
	"POST /api/v1/requests/{id}/feedback":  `{"verdict":"up"}`,
	"POST /api/v1/feedback":                `[{"request_id":"0198c0de-7d5a-7000-8000-3f0a5e1b2c3d","score":1}]`,
	"POST /api/v1/password":                `{"current":"wrong","password":"wrong"}`,
	"POST /api/v1/register":                `{"email":"x@example.com","password":"x"}`,
	"POST /api/v1/login":                   `{"email":"x@example.com","password":"x"}`,
	"POST /api/v1/claim":                   `{"token":"x","email":"x@example.com","password":"x"}`,
	"POST /api/v1/invites/accept":          `{"token":"x","email":"x@example.com","password":"x"}`,
	"POST /api/v1/password/set":            `{"token":"x","password":"x"}`,
	"GET /api/v1/requests/export":          "format=ndjson", // its query
	"GET /api/v1/requests/stream":          "after=1-0",
	"GET /api/v1/requests/facets":          "field=model",
	"POST /api/v1/views":                   `{"name":"Errors","query":"q=status:500","shared":true}`,
	"POST /api/v1/dead-letters/replay":     `{"all":false}`,
	"GET /api/v1/requests/export/manifest": "format=ndjson&to=2030-01-01",
	"POST /api/v1/playground":              `{"body":{"model":"auto","messages":[{"role":"user","content":"hi"}]}}`,
	"POST /api/v1/playground/estimate":     `{"models":["auto"],"body":{"messages":[{"role":"user","content":"hi"}]}}`,
	"POST /api/v1/playground/shares":       `{"models":["auto"],"body":{"messages":[]}}`,
	"POST /api/v1/providers/local":         "",
	"POST /api/v1/providers/drain":         `{"provider":"none","reason":"x"}`,
	"POST /api/v1/providers/resume":        `{"provider":"none"}`,
	"GET /api/v1/audit/export":             "format=csv",
	"POST /api/v1/policy/validate":         `{"document":"version: 1"}`,
	"POST /api/v1/policy/diff":             `{}`,
	"POST /api/v1/policy/rules/move":       `{"document":"routes: {auto: {select: [{deny: x}]}}","route":"auto","from":0,"to":0}`,
	"POST /api/v1/policy/rules/add":        `{"document":"routes: {auto: {select: [{deny: x}]}}","route":"auto","at":0,"rule":"{deny: y}"}`,
	"POST /api/v1/policy/explain":          `{"question":{}}`,
	"POST /api/v1/policy/publish":          `{"document":"version: 1"}`,
	"POST /api/v1/policy/experiments":      `{"action":"stop","name":"x"}`,
	"POST /api/v1/policy/rollback":         `{"version":"x"}`,
	"POST /api/v1/policy/replay":           `{"document":"version: 1"}`,
	"POST /api/v1/rollouts":                `{"document":"version: 1"}`,
	"POST /api/v1/rollouts/{id}/advance":   `{}`,
	"POST /api/v1/rollouts/{id}/halt":      `{}`,
	"POST /api/v1/rollouts/{id}/rollback":  `{}`,
	"POST /api/v1/logout":                  "",
	"POST /api/v1/alerts/rules":            alertRule,
	"PUT /api/v1/alerts/rules/{id}":        alertRule,
	"POST /api/v1/alerts/channels":         `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/x"}`,
	"PUT /api/v1/alerts/channels/{id}":     `{"name":"Hook","kind":"webhook","address":"https://hooks.example.com/x"}`,

	"POST /api/v1/alerts/channels/{id}/test": "",
}

// person is a user with a session; its client follows no redirects.
type person struct {
	*APIClient
	role string
}

func (b *Gateway) person(role string) *person {
	p := &person{b.NewVisitor(), role}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p
}

// walk calls a route with an id and returns the status, the error code and the complete
// response.
func (p *person) walk(r route, id, body string) (int, string, string) {
	p.t.Helper()
	path := p.base + strings.NewReplacer("{id}", url.PathEscape(id), "{name...}", "none", "{page...}", id).Replace(r.path)
	kind := "application/x-www-form-urlencoded"
	switch {
	case r.method == http.MethodGet && body != "":
		path, body = path+"?"+body, ""
	case r.api():
		kind = "application/json"
	}
	req, err := http.NewRequestWithContext(p.t.Context(), r.method, path, strings.NewReader(body))
	require.NoError(p.t, err)
	req.Header.Set("Content-Type", kind)
	if !r.api() { // other clients get a hint at the API where its addresses and those of pages are the same
		req.Header.Set("Accept", "text/html")
	}
	res, err := p.client.Do(req)
	require.NoError(p.t, err)
	defer func() { _ = res.Body.Close() }()
	all, err := readAnswer(res)
	require.NoError(p.t, err)
	var head strings.Builder
	require.NoError(p.t, res.Header.Write(&head))
	return res.StatusCode, res.Header.Get("X-Error-Code"), head.String() + string(all)
}

// readAnswer reads the whole body, or the first rows of an endless stream.
func readAnswer(res *http.Response) ([]byte, error) {
	if res.Header.Get("Content-Type") != "text/event-stream" {
		return io.ReadAll(res.Body)
	}
	var all []byte
	for lines := bufio.NewReader(res.Body); ; {
		line, err := lines.ReadBytes('\n')
		all = append(all, line...)
		if err != nil || bytes.HasPrefix(line, []byte("data:")) {
			return all, err
		}
	}
}

// tenant is an account with a user of every role and one object of each kind.
type tenant struct {
	box     *Gateway
	name    string
	account string
	key     string // the key itself
	people  map[string]*person
	guests  int
	things  map[string]string // ids, by the word before them in paths
	marks   []string          // texts that no response to another tenant may contain
}

const tenantPassword = "a long enough password"

func newTenant(t *testing.T, box *Gateway, name string, models ...string) *tenant {
	t.Helper()
	owner := box.person("owner")
	me := &tenant{box: box, name: name, people: map[string]*person{"owner": owner}, things: map[string]string{}}
	var in struct{ Account struct{ ID string } }
	me.signIn(owner, "/register", map[string]string{"email": me.email("owner"), "name": name}, &in)
	me.account = in.Account.ID
	for _, role := range []string{"member", "viewer"} {
		me.people[role] = me.join(role, role)
	}
	var made struct{ ID, Key, Prefix string }
	me.must(owner, "/keys", map[string]any{"name": "key of " + name, "models": models}, &made)
	me.key, me.things["keys"] = made.Key, made.ID
	me.things["rollouts"] = "rollout-of-" + name // only the operator has rollouts, so the id is never reached
	for _, kind := range []string{"users", "invites", "sign-ins", "requests", "sessions", "shares", "rules", "channels", "views", "tokens", "budgets"} {
		me.things[kind] = me.createObject(kind)
	}
	me.things["accounts"] = me.account
	me.marks = []string{name, me.account, made.Prefix}
	for _, id := range me.things {
		me.marks = append(me.marks, id)
	}
	return me
}

func (me *tenant) email(who string) string { return who + "@" + me.name + ".example.com" }

// must calls the API and requires success.
func (me *tenant) must(p *person, path string, body, out any) {
	p.t.Helper()
	status, answer := p.Call(http.MethodPost, path, body, out)
	require.Less(p.t, status, 300, "%s: %s", path, answer)
}

func (me *tenant) signIn(p *person, path string, body map[string]string, out any) {
	p.t.Helper()
	body["password"] = tenantPassword
	status, answer := p.CallWithPassword(path, body, out)
	require.Less(p.t, status, 300, "%s: %s", path, answer)
}

// join invites a user, who accepts.
func (me *tenant) join(who, role string) *person {
	var invite struct{ Token string }
	me.must(me.people["owner"], "/invites", map[string]string{"role": role}, &invite)
	p := me.box.person(role)
	me.signIn(p, "/invites/accept", map[string]string{"token": invite.Token, "email": me.email(who)}, nil)
	return p
}

// createObject creates another object of a kind and returns its id.
func (me *tenant) createObject(kind string) string {
	owner := me.people["owner"]
	owner.t.Helper()
	switch kind {
	case "shares":
		var made struct{ ID string }
		me.must(owner, "/playground/shares", map[string]any{"models": []string{"auto"}, "body": map[string]string{"user": me.name}}, &made)
		return made.ID
	case "views":
		var made struct{ ID string }
		me.must(owner, "/views", json.RawMessage(bodies["POST /api/v1/views"]), &made)
		return made.ID
	case "budgets":
		me.must(owner, "/budgets", json.RawMessage(bodies["POST /api/v1/budgets"]), nil)
	case "rules", "channels":
		var made struct{ ID string }
		me.must(owner, "/alerts/"+kind, json.RawMessage(bodies["POST /api/v1/alerts/"+kind]), &made)
		return made.ID
	case "keys":
		me.must(owner, "/keys", map[string]string{"name": "fresh"}, nil)
	case "tokens":
		var made struct{ ID string }
		me.must(owner, "/tokens", json.RawMessage(bodies["POST /api/v1/tokens"]), &made)
		return made.ID
	case "invites":
		me.must(owner, "/invites", map[string]string{"role": "viewer"}, nil)
	case "users":
		me.guests++
		me.join(fmt.Sprint("guest", me.guests), "viewer")
		all := me.list("users") // oldest first
		return all[len(all)-1].ID
	case "sign-ins":
		me.signIn(me.box.person("owner"), "/login", map[string]string{"email": me.email("owner")}, nil)
	case "requests":
		return me.ask("auto")
	case "sessions":
		me.ask("auto")
	default:
		owner.t.Fatalf("say how to make one of the new kind %q", kind)
	}
	return me.list(kind)[0].ID
}

func (me *tenant) list(kind string) []struct{ ID string } {
	var page struct{ Items []struct{ ID string } }
	status, answer := me.people["owner"].Call(http.MethodGet, "/"+kind, nil, &page)
	require.Equal(me.box.t, http.StatusOK, status, "%s", answer)
	require.NotEmpty(me.box.t, page.Items, kind)
	return page.Items
}

// ask sends a request with the tenant's key and returns its id when the record is stored.
func (me *tenant) ask(model string) string {
	me.box.t.Helper()
	status, head, answer := me.edge(http.MethodPost, "/chat/completions", `{"model":"`+model+`","messages":[{"role":"user","content":"word of `+me.name+`"}]}`)
	require.Equal(me.box.t, http.StatusOK, status, answer)
	id := head.Get("X-Request-Id")
	me.people["owner"].AwaitRecord(id)
	return id
}

// edge calls the proxy with the tenant's key.
func (me *tenant) edge(method, path, body string) (int, http.Header, string) {
	req, err := http.NewRequestWithContext(me.box.t.Context(), method, me.box.Base+"/proxy/v1"+path, strings.NewReader(body))
	require.NoError(me.box.t, err)
	req.Header.Set("Authorization", "Bearer "+me.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signalbox-Session", "session-of-"+me.name)
	res, err := edgeClient.Do(req)
	require.NoError(me.box.t, err)
	defer func() { _ = res.Body.Close() }()
	all, err := io.ReadAll(res.Body)
	require.NoError(me.box.t, err)
	return res.StatusCode, res.Header, string(all)
}

// requireNothingOf checks that a response contains no data of another tenant.
func requireNothingOf(t *testing.T, other *tenant, answer, call string) {
	t.Helper()
	for _, mark := range other.marks {
		require.NotContains(t, answer, mark, call)
	}
}

// awaitLastUse waits until the key shows the time of the tenant's newest request.
func (me *tenant) awaitLastUse() {
	me.box.t.Helper()
	var page struct{ Items []struct{ Time string } }
	_, answer := me.people["owner"].Call(http.MethodGet, "/requests?limit=1", nil, &page)
	require.NotEmpty(me.box.t, page.Items, "%s", answer)
	require.Eventually(me.box.t, func() bool {
		_, answer := me.people["owner"].Call(http.MethodGet, "/keys", nil, nil)
		return strings.Contains(string(answer), `"last_used_at":"`+page.Items[0].Time+`"`)
	}, waitTimeout, pollInterval, "the key does not show its last use")
}

// state returns everything visible of a tenant, to detect changes.
func (me *tenant) state() map[string]any {
	seen := map[string]any{}
	for _, path := range []string{"/account", "/users", "/keys", "/invites", "/sign-ins", "/tokens", "/sessions", "/audit?limit=200", "/quality", "/alerts", "/budgets", "/requests/" + me.things["requests"]} {
		status, answer := me.people["owner"].Call(http.MethodGet, path, nil, nil)
		require.Equal(me.box.t, http.StatusOK, status, "%s", answer)
		var v map[string]any
		require.NoError(me.box.t, json.Unmarshal(answer, &v))
		seen[path] = v
	}
	return seen
}
