package dashboard_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/idp"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
	"github.com/signalbox/signalbox/services/dashboard"
)

// SignOn of the fake keyauth creates one user per subject.
func (a *accounts) SignOn(_ context.Context, r *keyauthv1.SignOnRequest) (*keyauthv1.SignOnResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.signOns = append(a.signOns, r)
	if r.GetRole() == keyauthv1.Role_ROLE_UNSPECIFIED {
		return nil, apperr.New(apperr.AuthForbidden, "none of your groups gives access")
	}
	p := a.people[r.GetEmail()]
	if p == nil {
		if _, err := a.join(r.GetEmail(), "", "sign-on"); err != nil {
			return nil, err
		}
		p = a.people[r.GetEmail()]
	}
	p.identity.User.Role = r.GetRole()
	in := a.open(p, r.GetClient())
	a.sessions[in.GetToken()].session.Issuer = r.GetIssuer()
	return &keyauthv1.SignOnResponse{SignIn: in}, nil
}

const ssoOrigin = "http://signalbox.example.com"

// oidcFile lists the issuers of the providers, with the names first, second and so on.
func oidcFile(t *testing.T, providers ...*idp.Provider) string {
	t.Helper()
	t.Setenv("SSO_TEST_SECRET", idp.ClientSecret)
	var text strings.Builder
	text.WriteString("issuers:\n")
	for i, p := range providers {
		text.WriteString("- {name: " + []string{"first", "second"}[i] + ", label: Login " + []string{"one", "two"}[i] + ", issuer: '" + p.URL + "', client_id: " + idp.ClientID +
			", client_secret: 'env:SSO_TEST_SECRET', account: operator, scopes: [groups], roles: {owner: [admins], member: [devs, ops]}}\n")
	}
	path := filepath.Join(t.TempDir(), "sso.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

func newSignOnEnv(t *testing.T, providers ...*idp.Provider) *testEnv {
	t.Helper()
	return newTestEnvWith(t, dashboard.Config{PublicURL: ssoOrigin, OIDCFile: oidcFile(t, providers...)})
}

// signOn visits the issuer as a browser does and returns the path of the callback.
func (b *browser) signOn(name string) string {
	b.h.t.Helper()
	return b.signOnFrom(name, nil)
}

// signOnFrom is signOn with headers of the request that starts it.
func (b *browser) signOnFrom(name string, header map[string]string) string {
	b.h.t.Helper()
	started := b.send("GET", "/login/sso/"+name+"?next=/keys", "", header)
	require.Equal(b.h.t, http.StatusSeeOther, started.status, started.body)
	resp, err := b.http.Get(started.header.Get("Location"))
	require.NoError(b.h.t, err)
	require.NoError(b.h.t, resp.Body.Close())
	require.Equal(b.h.t, http.StatusSeeOther, resp.StatusCode)
	back, ok := strings.CutPrefix(resp.Header.Get("Location"), ssoOrigin)
	require.True(b.h.t, ok, resp.Header.Get("Location"))
	return back
}

func (b *browser) isSignedIn() bool { return b.api("GET", "/session", "").status == http.StatusOK }

func TestSignOn(t *testing.T) {
	p := idp.Start(t)
	h := newSignOnEnv(t, p)
	p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"all", "devs"}})
	b := h.browser()
	page := b.get("/login?next=/keys")
	require.Contains(t, page.body, `href="/login/sso/first?next=%2fkeys"`)
	require.Contains(t, page.body, "Sign in with Login one")

	a := b.get(b.signOn("first"))
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, "/keys", a.header.Get("Location"))
	require.Equal(t, "member", b.api("GET", "/session", "").json(t)["user"].(map[string]any)["role"])
	got := h.accounts.signOns[0]
	require.Equal(t, []string{p.URL, "s1", "ann@example.com", "operator"}, []string{got.GetIssuer(), got.GetSubject(), got.GetEmail(), got.GetAccount()})
	require.True(t, got.GetEmailVerified())
	require.Empty(t, got.GetSessionToken())

	out := b.form("/logout", nil)
	to, err := url.Parse(out.header.Get("Location"))
	require.NoError(t, err)
	require.Equal(t, p.URL+"/logout", to.Scheme+"://"+to.Host+to.Path)
	require.Equal(t, ssoOrigin+"/login", to.Query().Get("post_logout_redirect_uri"))
	require.Contains(t, out.header.Get("Content-Security-Policy"), "form-action 'self' "+p.URL)
	require.False(t, b.isSignedIn())
}

// The groups count at every sign-on, and a person without a role is refused.
func TestGroupsGiveRoles(t *testing.T) {
	p := idp.Start(t)
	h := newSignOnEnv(t, p)
	for _, c := range []struct {
		groups []string
		role   keyauthv1.Role
	}{
		{[]string{"devs", "admins"}, keyauthv1.Role_ROLE_OWNER},
		{[]string{"ops"}, keyauthv1.Role_ROLE_MEMBER},
		{[]string{"admin", "DEVS"}, keyauthv1.Role_ROLE_UNSPECIFIED},
		{nil, keyauthv1.Role_ROLE_UNSPECIFIED},
	} {
		p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com", Groups: c.groups})
		b := h.browser()
		a := b.get(b.signOn("first"))
		require.Equal(t, c.role, h.accounts.signOns[len(h.accounts.signOns)-1].GetRole())
		require.Equal(t, c.role != keyauthv1.Role_ROLE_UNSPECIFIED, b.isSignedIn(), a.body)
	}
}

// TestHostileTokens sends every token that must not be accepted. keyauth never hears of one.
func TestHostileTokens(t *testing.T) {
	p, other := idp.Start(t), idp.Start(t)
	h := newSignOnEnv(t, p, other)
	person := idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"admins"}}
	p.SetPerson(person)
	b := h.browser()
	b.get(b.signOn("first"))
	require.Len(t, h.accounts.signOns, 1, "the tokens below differ in one point from one that is accepted")
	earlier, now := p.LastToken(), time.Now()

	change := func(name string, value any) func(idp.Claims) string {
		return func(c idp.Claims) string { return p.Sign(idp.With(c, name, value)) }
	}
	for name, forge := range map[string]func(idp.Claims) string{
		"wrong audience":                  change("aud", "another-client"),
		"no audience":                     change("aud", nil),
		"several audiences without azp":   change("aud", []string{idp.ClientID, "another-client"}),
		"authorized for another client":   change("azp", "another-client"),
		"wrong issuer":                    change("iss", other.URL),
		"issuer with a slash":             change("iss", p.URL+"/"),
		"no issuer":                       change("iss", nil),
		"wrong nonce":                     change("nonce", "another"),
		"no nonce":                        change("nonce", nil),
		"empty nonce":                     change("nonce", ""),
		"no subject":                      change("sub", nil),
		"no e-mail":                       change("email", nil),
		"e-mail not verified":             change("email_verified", false),
		"e-mail not verified, as text":    change("email_verified", "false"),
		"expired":                         change("exp", now.Add(-time.Minute).Unix()),
		"no expiry":                       change("exp", nil),
		"not valid yet":                   change("nbf", now.Add(time.Hour).Unix()),
		"issued in the future":            change("iat", now.Add(time.Hour).Unix()),
		"no time of issue":                change("iat", nil),
		"hash of another access token":    change("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
		"algorithm none":                  idp.Unsigned,
		"algorithm none with a signature": func(c idp.Claims) string { return idp.Unsigned(c) + "AAAA" },
		"HMAC with the public key":        p.SignWithPublicKey,
		"HMAC with the client secret":     p.SignWithClientSecret,
		"unknown key":                     p.SignWithOtherKey,
		"key of another issuer":           func(c idp.Claims) string { return other.Sign(c) },
		"token of another issuer":         func(c idp.Claims) string { return other.Sign(idp.With(c, "iss", other.URL)) },
		"replayed":                        func(idp.Claims) string { return earlier },
		"changed after signing": func(c idp.Claims) string {
			real, forged := strings.Split(p.Sign(c), "."), strings.Split(p.Sign(idp.With(c, "sub", "s2")), ".")
			return real[0] + "." + forged[1] + "." + real[2]
		},
		"signature cut off": func(c idp.Claims) string { s := p.Sign(c); return s[:strings.LastIndex(s, ".")+1] },
		"no token":          func(idp.Claims) string { return "" },
		"no JWT":            func(idp.Claims) string { return "a.b.c" },
	} {
		p.Forge(forge)
		b := h.browser()
		a := b.get(b.signOn("first"))
		require.Equal(t, http.StatusUnauthorized, a.status, "%s: %s", name, a.body)
		require.Equal(t, "LOGIN_FAILED", a.header.Get("X-Error-Code"), name)
		require.False(t, b.isSignedIn(), name)
		require.Len(t, h.accounts.signOns, 1, name)
	}
	p.Forge(nil)
	b = h.browser()
	b.get(b.signOn("first"))
	require.True(t, b.isSignedIn(), "the provider itself still works")
}

// TestHostileCallbacks calls the callback as another browser, twice, and for another issuer.
func TestHostileCallbacks(t *testing.T) {
	p, other := idp.Start(t), idp.Start(t)
	h := newSignOnEnv(t, p, other)
	person := idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"admins"}}
	p.SetPerson(person)
	other.SetPerson(person)
	at, err := url.Parse(h.url)
	require.NoError(t, err)
	refused := func(name string, b *browser, path string) {
		t.Helper()
		before := len(h.accounts.signOns)
		a := b.get(path)
		require.Equal(t, "LOGIN_FAILED", a.header.Get("X-Error-Code"), name)
		require.Len(t, h.accounts.signOns, before, name)
	}
	b := h.browser()
	back := b.signOn("first")
	refused("another browser", h.browser(), back)
	refused("an issuer says who it is", b, back+"&iss="+url.QueryEscape(other.URL))

	b = h.browser()
	back = b.signOn("first")
	refused("another state", b, back+"x") // the state is the last parameter, and the code is valid
	b = h.browser()
	back = b.signOn("first")
	refused("another issuer's callback", b, strings.Replace(back, "/first/", "/second/", 1))
	b = h.browser()
	back = b.signOn("first")
	refused("refused by the issuer", b, strings.Replace(back, "code=", "error=access_denied&x=", 1))
	b = h.browser()
	back = b.signOn("first")
	u, err := url.Parse(back)
	require.NoError(t, err)
	refused("a code of another sign-on", b, "/login/sso/first/callback?code="+h.browser().codeOf("first")+"&state="+u.Query().Get("state"))

	b = h.browser()
	back = b.signOn("first")
	cookies := b.http.Jar.Cookies(at)
	require.Equal(t, http.StatusSeeOther, b.get(back).status)
	refused("twice", b, back)
	thief := h.browser()
	thief.http.Jar.SetCookies(at, cookies)
	refused("twice with a copied cookie", thief, back)
	require.Equal(t, http.StatusNotFound, h.browser().get("/login/sso/unknown").status)
}

// codeOf returns a code that the issuer gave to this browser.
func (b *browser) codeOf(name string) string {
	u, err := url.Parse(b.signOn(name))
	require.NoError(b.h.t, err)
	return u.Query().Get("code")
}

// The sign-in page works while an issuer is down, and names no address of it.
func TestAnIssuerThatIsDown(t *testing.T) {
	p := idp.Start(t)
	file := oidcFile(t, p)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), p.URL, "http://127.0.0.1:1")), 0o600))
	h := newTestEnvWith(t, dashboard.Config{PublicURL: ssoOrigin, OIDCFile: file})
	require.Equal(t, http.StatusOK, h.browser().get("/login").status)
	a := h.browser().get("/login/sso/first")
	require.Equal(t, "LOGIN_FAILED", a.header.Get("X-Error-Code"))
	require.NotContains(t, a.body, "127.0.0.1:1")
}

// Another site can neither start a sign-on nor use the session of the browser for a link.
func TestHostileSitesStartNoSignOn(t *testing.T) {
	p := idp.Start(t)
	h := newSignOnEnv(t, p)
	p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"devs"}})
	for _, site := range []string{"cross-site", "same-site", "new-value"} {
		b, _ := h.registerUser(site + "@example.com")
		a := b.send("GET", "/login/sso/first", "", map[string]string{"Sec-Fetch-Site": site})
		require.Equal(t, http.StatusForbidden, a.status, a.body)
		require.Equal(t, "CROSS_ORIGIN_REFUSED", a.header.Get("X-Error-Code"))
		require.Contains(t, a.body, `href="/login/sso/first"`)
		require.Empty(t, a.header.Get("Set-Cookie"))
	}
	for _, c := range []struct {
		header map[string]string
		proof  bool
	}{
		{map[string]string{"Sec-Fetch-Site": "same-origin"}, true},
		{map[string]string{"Sec-Fetch-Site": "none"}, false},
		{map[string]string{"Sec-Fetch-Site": "none", "Referer": ssoOrigin + "/login"}, false},
		{map[string]string{"Referer": ssoOrigin + "/login"}, true},
		{map[string]string{"Referer": ssoOrigin + ".evil.example/"}, false},
		{nil, false},
	} {
		b := h.browser()
		b.get(b.signOnFrom("first", nil)) // the browser has a session
		b.get(b.signOnFrom("first", c.header))
		require.Equal(t, c.proof, h.accounts.signOns[len(h.accounts.signOns)-1].GetSessionToken() != "", "%v", c.header)
	}
	for _, next := range []string{"/login/sso/first", "/x/../login/sso/first", "/login%2fsso/first", "/login"} {
		require.NotContains(t, h.browser().get("/login?next="+url.QueryEscape(next)).body, `name="next"`, next)
	}
}

// Signing out does not wait for the issuer.
func TestSignOutCallsNoIssuer(t *testing.T) {
	calls := make(chan struct{}, 10)
	issuer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls <- struct{}{} }))
	t.Cleanup(issuer.Close)
	p := idp.Start(t)
	file := oidcFile(t, p)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), p.URL, issuer.URL)), 0o600))
	h := newTestEnvWith(t, dashboard.Config{PublicURL: ssoOrigin, OIDCFile: file})
	b, _ := h.registerUser("ann@example.com")
	h.accounts.mu.Lock()
	for _, one := range h.accounts.sessions {
		one.session.Issuer = issuer.URL
	}
	h.accounts.mu.Unlock()
	out := b.form("/logout", nil)
	require.Equal(t, "/login", out.header.Get("Location"), out.body)
	require.False(t, b.isSignedIn())
	require.Empty(t, calls)
}
