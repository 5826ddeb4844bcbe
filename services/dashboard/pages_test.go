package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

func TestAPersonSignsInWithPlainForms(t *testing.T) {
	h := newTestEnv(t, "")
	b := h.browser()
	a := b.get("/claim?token=" + claimToken)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `name="token" value="claim-me"`)
	a = b.form("/claim", url.Values{"token": {`">` + claimToken}, "email": {"o@example.com"}, "password": {"p"}})
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, `name="token" value="&#34;&gt;claim-me"`)

	given := url.Values{"email": {"a@example.com"}, "password": {"hunter2"}, "name": {"Acme <b>"}}
	a = b.form("/register", given)
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, "/start", a.header.Get("Location"), "there is nothing to see yet")
	require.NotContains(t, b.get("/requests").body, "Acme <b>")

	a = b.form("/register", given)
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.body, "this e-mail has an account already")
	require.Contains(t, a.body, `value="a@example.com"`)
	require.NotContains(t, a.body, "hunter2")

	require.Equal(t, "/login", b.form("/logout", nil).header.Get("Location"))
	require.Equal(t, "/login", b.get("/").header.Get("Location"))
	given.Set("password", "wrong")
	require.Equal(t, http.StatusUnauthorized, b.form("/login", given).status)
	given.Set("password", "hunter2")
	require.Equal(t, http.StatusSeeOther, b.form("/login", given).status)

	c := h.browser()
	a = c.form("/claim", url.Values{"token": {claimToken}, "email": {"o@example.com"}, "password": {"p"}})
	require.Equal(t, "/start", a.header.Get("Location"), a.body)
	require.Contains(t, c.get("/start").body, "o@example.com")
}

func TestSignInRedirectsToRequestedPage(t *testing.T) {
	h := newTestEnv(t, "")
	b, account := h.registerUser("a@example.com")
	b.form("/logout", nil)
	for page, want := range map[string]string{
		"/":                      "/login",
		"/keys":                  "/login?next=%2Fkeys",
		"/requests?q=route:a&x=": "/login?next=%2Frequests%3Fq%3Droute%3Aa%26x%3D",
	} {
		require.Equal(t, want, b.get(page).header.Get("Location"))
	}
	require.Contains(t, b.get("/login?next=%2Fkeys").body, `name="next" value="/keys"`)
	login := func(next string) string {
		return b.form("/login", url.Values{"email": {"a@example.com"}, "password": {"correct horse"}, "next": {next}}).header.Get("Location")
	}
	require.Equal(t, "/requests?q=route:a", login("/requests?q=route:a"))
	require.Equal(t, "/start", login(""))
	h.publish(newRecord(account, 0, func(*recordv1.RequestRecord) {}))
	require.Equal(t, "/", login(""), "there is something to see")
	for _, other := range []string{
		"https://evil.example", "//evil.example", `/\evil.example`, "/%2Fevil.example", "evil", "javascript:alert(1)", "/api/v1/keys", "/\tx", "http:/x",
	} {
		require.Equal(t, "/", login(other), other)
		require.NotContains(t, b.get("/login?next="+url.QueryEscape(other)).body, `name="next"`, other)
	}
}

// TestFormErrorsAppearAtTheirField also checks the summary with its link.
func TestFormErrorsAppearAtTheirField(t *testing.T) {
	h := newTestEnv(t, "")
	h.registerUser("a@example.com")
	a := h.browser().form("/register", url.Values{"email": {"a@example.com"}, "password": {"hunter2"}})
	require.Regexp(t, `role="alert"[^>]*><p><a href="#email">this e-mail has an account already</a>`, a.body)
	require.Regexp(t, `<input id="email"[^>]* aria-invalid="true" aria-describedby="wrong">\s*<span class="wrong" id="wrong">this e-mail`, a.body)
	a = h.browser().form("/login", url.Values{"email": {"a@example.com"}, "password": {"hunter2"}})
	require.Contains(t, a.body, `role="alert"`)
	require.NotContains(t, a.body, "aria-invalid", "it may be either")
}

func TestErrorPagesHaveNavigation(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for _, path := range []string{"/nothing", "/logout"} {
		require.Contains(t, b.get(path).body, `<a href="/keys">Keys</a>`, path)
		require.NotContains(t, h.browser().get(path).body, "/keys", path)
	}
}

func TestPagesApplyThemeCookie(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for _, path := range []string{"/keys", "/login", "/nothing"} {
		dark := map[string]string{"Cookie": "theme=dark"}
		require.Contains(t, b.send("GET", path, "", dark).body, `<html lang="en" data-theme="dark">`, path)
		require.Contains(t, b.send("GET", path, "", map[string]string{"Cookie": "theme=x"}).body, `<html lang="en">`, path)
	}
}

// TestPagesNeedNoScript also checks that all files of a page are served with long
// cache times, and fonts, which have plain names, with shorter ones.
func TestPagesNeedNoScript(t *testing.T) {
	b := newTestEnv(t, "").browser()
	a := b.get("/login")
	require.NotContains(t, a.body, "<script")
	require.NotContains(t, a.body, "style=")
	for _, path := range regexp.MustCompile(`/assets/[^"]+`).FindAllString(a.body, -1) {
		file := b.get(path)
		require.Equal(t, http.StatusOK, file.status, path)
		require.Equal(t, !strings.Contains(path, "/fonts/"), strings.Contains(file.header.Get("Cache-Control"), "immutable"), path)
		require.NotContains(t, file.header.Get("Content-Type"), "html", path)
	}
	require.Equal(t, http.StatusNotFound, b.get("/assets/nothing.css").status)
}

func TestPeopleJoinWithAPlainForm(t *testing.T) {
	h := newTestEnv(t, "")
	owner, _ := h.registerUser("a@example.com")
	owner.api("POST", "/invites", `{"role":"viewer"}`)
	b := h.browser()
	require.Contains(t, b.get("/invite?token=invite%2B1").body, `name="token" value="invite&#43;1"`)
	given := url.Values{"token": {"invite+1"}, "email": {"v@example.com"}, "password": {"another horse"}}
	require.Equal(t, "/start", b.form("/invite", given).header.Get("Location"))
	require.Contains(t, b.get("/account").body, `"role":"viewer"`)
	a := h.browser().form("/invite", given)
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, "already used")
}

func TestAPasswordIsSetWithAPlainForm(t *testing.T) {
	h := newTestEnv(t, "")
	h.registerUser("a@example.com")
	h.accounts.invites[resetToken] = &invite{email: "a@example.com"}
	b := h.browser()
	a := b.get("/password?token=" + resetToken)
	require.Contains(t, a.body, `name="token" value="reset-me"`)
	require.NotContains(t, a.body, `name="email"`)
	a = b.form("/password", url.Values{"token": {resetToken}, "password": {"battery staple"}})
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, http.StatusOK, b.get("/").status)
}

// A link that does not work says so before the user fills in a form.
func TestALinkThatDoesNotWorkHasNoForm(t *testing.T) {
	h := newTestEnv(t, "")
	for path, hint := range map[string]string{"/claim": "prints a new link at every start", "/invite": "ask for a new invite", "/password": "ask for a new link"} {
		for _, token := range []string{"?token=bad", ""} {
			a := h.browser().get(path + token)
			require.Equal(t, http.StatusForbidden, a.status, path)
			require.Equal(t, "TOKEN_INVALID", a.header.Get("X-Error-Code"))
			require.Contains(t, a.body, `role="alert"`)
			require.Contains(t, a.body, hint)
			require.NotContains(t, a.body, "<form")
		}
	}
	a := h.browser().get("/claim?token=" + claimToken)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, "<form")
	require.Equal(t, "/start", h.browser().form("/claim", url.Values{"token": {claimToken}, "email": {"o@example.com"}, "password": {"p"}}).header.Get("Location"),
		"looking at the page does not use the link")
}

// TestUnclaimedInstallationLeadsToClaiming checks that the first pages of a new
// installation say how to claim the operator's account, and no later ones.
func TestUnclaimedInstallationLeadsToClaiming(t *testing.T) {
	h := newTestEnv(t, "")
	visitor := h.browser()
	require.Equal(t, "/login", visitor.get("/").header.Get("Location"))
	const hint, limited = "The operator account is not claimed yet", "cannot see or change the policy"
	require.Contains(t, visitor.get("/login").body, hint)
	require.Contains(t, visitor.get("/register").body, hint)
	require.Contains(t, visitor.get("/register").body, limited)
	require.Contains(t, visitor.form("/login", url.Values{"email": {"a@example.com"}, "password": {"wrong"}}).body, hint, "also after an error")
	b, _ := h.registerUser("a@example.com")
	require.Contains(t, b.get("/").body, `"unclaimed":true`)
	require.NotContains(t, b.get("/keys").body, `"unclaimed"`)

	h.claimOperator()
	for _, page := range []string{"/login", "/register"} {
		require.NotContains(t, visitor.get(page).body, hint, page)
		require.NotContains(t, visitor.get(page).body, limited, page)
	}
	require.NotContains(t, b.get("/").body, `"unclaimed"`)
}

// TestClosedRegistrationHasNoForm checks that visitors learn it before they fill in a form.
func TestClosedRegistrationHasNoForm(t *testing.T) {
	h := newTestEnv(t, "")
	require.Contains(t, h.browser().get("/register").body, "<form")
	h.accounts.closed = true
	body := h.browser().get("/register").body
	require.Contains(t, body, "by invite only")
	require.NotContains(t, body, "<form")
	require.Contains(t, h.browser().get("/login").body, "Ask the operator for an invite")
}

// A page loads two scripts at first, and its own ones if it has any: each request waits for the network.
func TestPagesPreloadTheirScripts(t *testing.T) {
	h := newTestEnv(t, "")
	b, _ := h.registerUser("a@example.com")
	for page, want := range map[string][]string{"/": {"core"}, "/start": {"core"}, "/spend": {"core", "spend", "shared"}, "/policy": {"core", "policy", "shared"}, "/sessions/x": {"core"}} {
		var names []string
		for _, link := range regexp.MustCompile(`modulepreload" href="(/assets/chunks/(\w+)-[^"]+)"`).FindAllStringSubmatch(b.get(page).body, -1) {
			require.Equal(t, http.StatusOK, b.get(link[1]).status, link[1])
			if !slices.Contains(names, link[2]) {
				names = append(names, link[2])
			}
		}
		require.Equal(t, want, names, page)
	}
}
