package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTenantsAreApart calls every route of the dashboard as every kind of user that must
// be rejected.
func TestTenantsAreApart(t *testing.T) { forEachDeployment(t, tenantsAreApart) }

func tenantsAreApart(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	box.SignInOperator()
	here, there := newTenant(t, box, "herewego"), newTenant(t, box, "thereforth")
	there.awaitLastUse()
	there.must(there.people["owner"], "/requests/"+there.things["requests"]+"/feedback", map[string]string{"verdict": "down", "reason": "reason of " + there.name}, nil)
	before := there.state()
	require.Contains(t, fmt.Sprint(before), "reason of "+there.name, "the evidence has a mark")
	routes := dashboardRoutes(t)
	for _, p := range here.people {
		for _, r := range routes {
			foreignIDs(t, r, p, there)
			ownIDs(t, r, p, here, there)
		}
	}
	for _, r := range routes {
		smuggled(t, r, here.people["owner"], there)
		strangers(t, r, box.person(""), there)
	}
	require.Equal(t, before, there.state(), "the other account was changed")
	// The same calls succeed with the tenant's own objects, so the rejections above had
	// the right reason.
	for _, r := range routes {
		if r.kind() != "" && isAllowed("owner", r.who) {
			status, _, answer := here.people["owner"].walk(r, here.createObject(r.kind()), bodyOf(t, r))
			require.Less(t, status, http.StatusBadRequest, "%s: %s", r, answer)
		}
	}
}

// bodyOf returns a valid body for a route.
func bodyOf(t *testing.T, r route) string {
	body, known := bodies[r.String()]
	require.True(t, known || r.method == http.MethodGet || r.method == http.MethodDelete || r.who == "public" || r.who == "self",
		"say in bodies what %s accepts", r)
	return body
}

// isAllowed reports whether a role is sufficient for a route of the user's own account.
func isAllowed(role, who string) bool {
	ranks := []string{"viewer", "member", "owner", "operator"}
	if who == "self" || who == "public" {
		return true
	}
	return slices.Index(ranks, role) >= slices.Index(ranks, strings.TrimSuffix(who, "+"))
}

// foreignIDs: an id of another account gives the same response as an id that never
// existed.
func foreignIDs(t *testing.T, r route, p *person, there *tenant) {
	if r.kind() == "" {
		return
	}
	require.Contains(t, there.things, r.kind(), "say how to make one of the new kind in %s", r)
	status, code, answer := p.walk(r, there.things[r.kind()], bodyOf(t, r))
	call := p.role + ": " + r.String()
	if isAllowed(p.role, r.who) {
		require.Equal(t, http.StatusNotFound, status, "%s: %s", call, answer)
		require.Equal(t, "NOT_FOUND", code, call)
	} else {
		require.Contains(t, []int{http.StatusNotFound, http.StatusForbidden}, status, "%s: %s", call, answer)
	}
	requireNothingOf(t, there, answer, call)
}

// needsParameter lists the addresses that respond with an error without a file name, the token of a
// link or a kind.
var needsParameter = map[string]bool{"/assets/{name...}": true, "/claim": true, "/invite": true, "/password": true,
	"/api/v1/alerts/values": true, "/login/sso/{name}": true, "/login/sso/{name}/callback": true}

// ownIDs: in the own account the role decides, and the response shows own data only.
func ownIDs(t *testing.T, r route, p *person, here, there *tenant) {
	call := p.role + ": " + r.String()
	switch {
	case r.method == http.MethodGet && isAllowed(p.role, r.who):
		status, _, answer := p.walk(r, here.things[r.kind()], bodyOf(t, r))
		if !needsParameter[r.path] {
			require.Less(t, status, http.StatusBadRequest, "%s: %s", call, answer)
		}
		requireNothingOf(t, there, answer, call)
	case !isAllowed(p.role, r.who):
		status, code, answer := p.walk(r, here.things[r.kind()], bodyOf(t, r))
		require.Equal(t, http.StatusForbidden, status, "%s: %s", call, answer)
		require.Equal(t, "AUTH_FORBIDDEN", code, call)
	}
}

// smuggled: forbidden fields in a body are rejected and change nothing.
func smuggled(t *testing.T, r route, p *person, there *tenant) {
	body := bodies[r.String()]
	if !r.api() || !strings.HasPrefix(body, "{") || !isAllowed(p.role, r.who) {
		return
	}
	for name, value := range map[string]any{
		"account_id": there.account, "account": there.account, "actor": map[string]string{"account_id": there.account},
		"user_id": there.things["users"], "id": there.things["keys"], "operator": true, "is_operator": true, "Role": "owner",
		"version": 1, "state": "active", "mask": []string{"operator"},
	} {
		given := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(body), &given))
		given[name] = value
		text, err := json.Marshal(given)
		require.NoError(t, err)
		status, code, answer := p.walk(r, there.things[r.kind()], string(text))
		require.Equal(t, http.StatusBadRequest, status, "%s with %s: %s", r, name, answer)
		require.Equal(t, "INVALID_REQUEST", code, r)
		require.Contains(t, answer, `"param":"`+name+`"`, r)
	}
}

// strangers: without a session only public pages are reachable.
func strangers(t *testing.T, r route, visitor *person, there *tenant) {
	if r.who == "public" {
		return
	}
	status, code, answer := visitor.walk(r, there.things[r.kind()], bodies[r.String()])
	if r.api() {
		require.Equal(t, http.StatusUnauthorized, status, r)
		require.Equal(t, "SESSION_REQUIRED", code, r)
	} else {
		require.Equal(t, http.StatusSeeOther, status, r)
		require.Regexp(t, `(?m)^Location: /login(\?next=\S+)?\r$`, answer, r)
	}
	requireNothingOf(t, there, answer, r.String())
}

// TestOperatorCannotReadOtherAccounts: the operator has no access to the data of other accounts.
func TestOperatorCannotReadOtherAccounts(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		operator := &person{box.SignInOperator(), "owner"}
		operator.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		guest := newTenant(t, box, "guesthouse")
		for _, r := range dashboardRoutes(t) {
			switch {
			case r.who == "operator+": // lists accounts on purpose
			case r.who == "operator":
				status, _, answer := operator.walk(r, "", bodyOf(t, r))
				require.Equal(t, http.StatusOK, status, "%s: %s", r, answer)
			case r.kind() != "":
				foreignIDs(t, r, operator, guest)
			case r.method == http.MethodGet:
				_, _, answer := operator.walk(r, "", bodyOf(t, r))
				requireNothingOf(t, guest, answer, r.String())
			}
		}
	})
}

func TestTheOperatorListsAccounts(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		operator := box.SignInOperator()
		guest := newTenant(t, box, "lodge")
		require.Contains(t, allAccountIDs(t, operator), guest.account)
	})
}

// allAccountIDs returns the ids of all accounts, page by page.
func allAccountIDs(t *testing.T, operator *APIClient) (ids []string) {
	for cursor := ""; ; {
		var page struct {
			Items      []struct{ ID string }
			NextCursor string `json:"next_cursor"`
		}
		status, answer := operator.Call(http.MethodGet, "/accounts?limit=2&cursor="+cursor, nil, &page)
		require.Equal(t, http.StatusOK, status, "%s", answer)
		for _, a := range page.Items {
			ids = append(ids, a.ID)
		}
		if cursor = page.NextCursor; cursor == "" {
			return ids
		}
	}
}

// TestKeysAreApartAtTheEdge: a key can list and use only what it may, and its responses
// reveal nothing about other accounts.
func TestKeysAreApartAtTheEdge(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		box := start(t)
		models := map[string]bool{}
		everything := &tenant{box: box, key: box.Key}
		for _, id := range everything.models() {
			models[id] = id != "auto" && !strings.Contains(id, "embed")
		}
		maps.DeleteFunc(models, func(_ string, chat bool) bool { return !chat })
		two := slices.Sorted(maps.Keys(models))[:2]
		here, there := newTenant(t, box, "leftbank", "auto", two[0]), newTenant(t, box, "rightbank", "auto", two[1])
		require.ElementsMatch(t, []string{"auto", two[0]}, here.models())
		require.ElementsMatch(t, []string{"auto", two[1]}, there.models())
		for _, call := range [][3]string{
			{http.MethodGet, "/models/" + two[1], ""},
			{http.MethodPost, "/chat/completions", `{"model":"` + two[1] + `","messages":[{"role":"user","content":"hi"}]}`},
		} {
			status, head, answer := here.edge(call[0], call[1], call[2])
			require.Contains(t, []int{http.StatusForbidden, http.StatusNotFound}, status, answer)
			requireNothingOf(t, there, answer, call[1])
			require.NotContains(t, here.list("requests"), struct{ ID string }{there.things["requests"]})
			require.NotEqual(t, there.things["requests"], head.Get("X-Request-Id"))
		}
	})
}

func (me *tenant) models() (ids []string) {
	status, _, answer := me.edge(http.MethodGet, "/models", "")
	require.Equal(me.box.t, http.StatusOK, status, answer)
	var page struct{ Data []struct{ ID string } }
	require.NoError(me.box.t, json.Unmarshal([]byte(answer), &page))
	for _, m := range page.Data {
		ids = append(ids, m.ID)
	}
	return ids
}
