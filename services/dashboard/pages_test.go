package dashboard_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	recordv1 "github.com/signalbox/signalbox/proto/signalbox/record/v1"
)

func TestAPersonSignsInWithPlainForms(t *testing.T) {
	h := newHouse(t, "")
	b := h.browser()
	for _, path := range []string{"/", "/requests", "/keys"} {
		a := b.get(path)
		require.Equal(t, http.StatusSeeOther, a.status, path)
		require.Equal(t, "/login", a.header.Get("Location"))
	}
	a := b.get("/claim?token=%22%3E" + claimToken)
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, `name="token" value="&#34;&gt;claim-me"`)

	given := url.Values{"email": {"a@example.com"}, "password": {"hunter2"}, "name": {"Acme <b>"}}
	a = b.form("/register", given)
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, "/requests", a.header.Get("Location"))
	require.Contains(t, b.get("/requests").body, "Acme &lt;b&gt;")
	require.Equal(t, "/requests", b.get("/").header.Get("Location"))

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
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Contains(t, c.get("/requests").body, "o@example.com")
}

func TestTheRequestsPage(t *testing.T) {
	h := newHouse(t, "")
	b, account := h.person("a@example.com")
	require.Contains(t, b.get("/requests").body, "Nothing here yet")
	var all []*recordv1.RequestRecord
	began := time.Now()
	for n := range 60 { // of today, as the page sums up the last days
		all = append(all, made(account, n, func(r *recordv1.RequestRecord) {
			r.Time = timestamppb.New(began.Add(time.Duration(n-60) * time.Second))
		}))
	}
	all[59].RequestedModel = "<script>alert(1)</script>"
	all[58].CostNanoUsd = nil
	h.publish(all...)
	a := b.get("/requests")
	require.Equal(t, http.StatusOK, a.status)
	require.Contains(t, a.body, "60 requests cost <b>$0.000005900</b>")
	require.Contains(t, a.body, "The baseline would have cost $0.00006000: <b class=\"kept\">kept $0.00005310</b> (88 %)")
	require.Contains(t, a.body, "1 without a known price")
	require.Contains(t, a.body, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.NotContains(t, a.body, "<script")
	links := regexp.MustCompile(`/requests/[0-9a-f-]{36}`)
	require.Len(t, links.FindAllString(a.body, -1), 50)
	older := regexp.MustCompile(`/requests\?cursor=[^"]+`).FindString(a.body)
	require.NotEmpty(t, older)
	a = b.get(older)
	require.Len(t, links.FindAllString(a.body, -1), 10)
	require.Contains(t, a.body, `<a href="/requests">Newest</a>`)
	older = regexp.MustCompile(`/requests\?cursor=[^"]+`).FindString(b.get("/requests?filter=outcome:ok").body)
	require.Contains(t, b.get(html.UnescapeString(older)).body, `<a href="/requests?filter=outcome%3Aok">Newest</a>`)

	require.Contains(t, b.get("/requests?filter=model:none").body, "No request matches")
	a = b.get("/requests?filter=colour:%3Cred%3E")
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "unknown field")
	require.Contains(t, a.body, `value="colour:&lt;red&gt;"`)
}

func TestTheDetailPage(t *testing.T) {
	h := newHouse(t, "")
	b, account := h.person("a@example.com")
	h.publish(full(account), bare(account))
	a := b.get("/requests/" + idOf(full(account)))
	require.Equal(t, http.StatusOK, a.status, a.body)
	for _, want := range []string{
		"the cheapest that is good enough", "MISSING_CAPABILITY", "PROVIDER_TIMEOUT", "$0.000233", "$0.007102",
		"{&#34;model&#34;:&#34;auto&#34;}", "caf\uFFFD", "70,000 bytes", "1.31 s",
	} {
		require.Contains(t, a.body, want)
	}
	require.Contains(t, a.body, "auto &rarr; small @ alpha failed with PROVIDER_TIMEOUT, then small @ beta: ok.")
	a = b.get("/requests/" + idOf(bare(account)))
	require.Contains(t, a.body, "Nothing was captured")
	require.Contains(t, a.body, "\u2014", "an unknown price is not 0")
	require.Equal(t, http.StatusNotFound, b.get("/requests/nothing").status)
}

func TestTheKeysPage(t *testing.T) {
	b, _ := newHouse(t, "").person("a@example.com")
	a := b.form("/keys", url.Values{"name": {"prod"}})
	require.Equal(t, http.StatusCreated, a.status, a.body)
	require.Contains(t, a.body, "secret-1")
	a = b.get("/keys")
	require.NotContains(t, a.body, "secret-1")
	// The button is there only once it was asked for.
	require.Regexp(t, `<details><summary[^>]*>Revoke</summary><form method="post" action="/keys/key_1/revoke"><button`, a.body)
	require.Equal(t, 1, strings.Count(a.body, `/revoke"`))
	require.Equal(t, http.StatusSeeOther, b.form("/keys/key_1/revoke", nil).status)
	require.Contains(t, b.get("/keys").body, "revoked")
	a = b.form("/keys", url.Values{"name": {""}})
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "a key needs a name")
	require.Equal(t, http.StatusUnsupportedMediaType, b.send("POST", "/keys", `{"name":"x"}`, nil).status)
}

func TestErrorPagesKeepTheWayOn(t *testing.T) {
	h := newHouse(t, "")
	b, _ := h.person("a@example.com")
	for _, path := range []string{"/nothing", "/requests/nothing", "/requests?sort=x", "/logout"} {
		require.Contains(t, b.get(path).body, `<a href="/keys">Keys</a>`, path)
		require.NotContains(t, h.browser().get(path).body, "/keys", path)
	}
}

func TestAnAccountNamedByItsEmailIsShownOnce(t *testing.T) {
	h := newHouse(t, "")
	b, _ := h.person("a@example.com")
	require.Equal(t, 1, strings.Count(b.get("/keys").body, "a@example.com"))
	require.Contains(t, h.operator().get("/keys").body, "operator &middot; o@example.com")
}

// TestPagesNeedNoScript also holds that all a page loads is served, for ever
// under that name.
func TestPagesNeedNoScript(t *testing.T) {
	b := newHouse(t, "").browser()
	a := b.get("/login")
	require.NotContains(t, a.body, "<script")
	require.NotContains(t, a.body, "style=")
	for _, path := range regexp.MustCompile(`/assets/[^"]+`).FindAllString(a.body, -1) {
		file := b.get(path)
		require.Equal(t, http.StatusOK, file.status, path)
		require.Contains(t, file.header.Get("Cache-Control"), "immutable")
		require.NotContains(t, file.header.Get("Content-Type"), "html", path)
	}
	require.Equal(t, http.StatusNotFound, b.get("/assets/nothing.css").status)
}
