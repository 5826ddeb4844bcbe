package dashboard_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// route is a line of testdata/routes.txt, which lists all routes.
type route struct{ who, method, path string }

func routes(t *testing.T) (all []route) {
	list, err := os.ReadFile("testdata/routes.txt")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile(`(?m)^(\w+\+?) +([A-Z]+) +(/\S*)$`).FindAllStringSubmatch(string(list), -1) {
		all = append(all, route{m[1], m[2], strings.ReplaceAll(m[3], "{$}", "")})
	}
	require.NotEmpty(t, all)
	return all
}

func (r route) api() bool { return strings.HasPrefix(r.path, "/api/") }

// call calls the route with an id and a body that suits every route.
func (b *browser) call(r route, id string) response {
	path := strings.NewReplacer("{id}", id, "{name}", id, "{name...}", id).Replace(r.path)
	if strings.HasSuffix(path, "/stream") {
		path += "?after=x" // otherwise the stream does not end
	}
	switch {
	case r.method == "GET":
		return b.get(path)
	case r.api():
		return b.send(r.method, path, "{}", map[string]string{"Content-Type": "application/json"})
	}
	return b.form(path, url.Values{"role": {"viewer"}})
}

func TestOnlyPublicRoutesWorkWithoutSession(t *testing.T) {
	h := newTestEnv(t, "")
	forger := h.browser()
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	for _, r := range routes(t) {
		forger.http.Jar.SetCookies(at, []*http.Cookie{{Name: "signalbox_session", Value: "forged", Path: "/"}})
		for _, a := range []response{h.browser().call(r, "x"), forger.call(r, "x")} {
			asked := a.header.Get("X-Error-Code") == "SESSION_REQUIRED" || strings.HasPrefix(a.header.Get("Location"), "/login") && r.path != "/logout"
			require.Equal(t, r.who != "public", asked, r)
			if asked && r.api() {
				a.requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
			} else if asked {
				require.Equal(t, http.StatusSeeOther, a.status, r)
				require.NotContains(t, a.body, "<html", r)
			}
		}
	}
}

// A token never signs in to a page, and a wrong one gives no access to the API.
func TestForgedTokensAreRefused(t *testing.T) {
	h := newTestEnv(t, "")
	for _, r := range routes(t) {
		if r.who == "public" {
			continue
		}
		a := h.browser().send(r.method, r.path, "{}", map[string]string{"Authorization": "Bearer sbx_token_forged", "Content-Type": "application/json"})
		if r.api() {
			a.requireError(t, http.StatusUnauthorized, "SESSION_REQUIRED")
		} else {
			require.Equal(t, http.StatusSeeOther, a.status, r)
		}
	}
}

func TestOtherAccountsCannotCallOperatorRoutes(t *testing.T) {
	h := newTestEnv(t, "")
	h.claimOperator()
	b, _ := h.registerUser("a@example.com")
	seen := 0
	for _, r := range routes(t) {
		if strings.HasPrefix(r.who, "operator") {
			b.call(r, "x").requireError(t, http.StatusForbidden, "AUTH_FORBIDDEN")
			seen++
		}
	}
	require.NotZero(t, seen)
}

// overheard records the actor of every call to keyauth.
type overheard struct {
	grpc.ClientConnInterface
	mu     sync.Mutex
	actors []*keyauthv1.Actor
}

func (o *overheard) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	if with, ok := args.(interface{ GetActor() *keyauthv1.Actor }); ok {
		o.mu.Lock()
		o.actors = append(o.actors, with.GetActor())
		o.mu.Unlock()
	}
	return o.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
}

// TestKeyauthCallsUseSignedInUser checks that the dashboard never takes the
// actor from a request, because keyauth trusts the dashboard.
func TestKeyauthCallsUseSignedInUser(t *testing.T) {
	heard := &overheard{}
	h := newTestEnvBehind(t, dashboard.Config{}, func(conn grpc.ClientConnInterface) grpc.ClientConnInterface {
		heard.ClientConnInterface = conn
		return heard
	})
	h.registerUser("first@example.com")
	calls := 0
	for _, r := range routes(t) {
		if r.who == "public" {
			continue
		}
		b, account := h.registerUser(strings.ReplaceAll(r.method+r.path, "/", ".") + "@example.com")
		user := b.api("GET", "/users", "").json(t)["items"].([]any)[0].(map[string]any)["id"]
		heard.actors = nil
		b.call(route{r.who, r.method, r.path + "?account_id=acc_1&user_id=usr_1"}, "x")
		b.call(r, "usr_1")
		calls += len(heard.actors)
		for _, actor := range heard.actors {
			require.Equal(t, account, actor.GetAccountId(), r)
			require.Equal(t, user, actor.GetUserId(), r)
		}
	}
	require.NotZero(t, calls)
}
