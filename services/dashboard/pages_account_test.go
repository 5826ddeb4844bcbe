package dashboard_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

func TestPeopleJoinWithPlainForms(t *testing.T) {
	h := newHouse(t, "")
	owner, _ := h.person("a@example.com")
	a := owner.form("/account/invites", url.Values{"role": {"viewer"}})
	require.Equal(t, http.StatusCreated, a.status)
	require.Contains(t, a.body, `<a href="/invite?token=invite%2B1">`)
	a = owner.get("/account")
	require.NotContains(t, a.body, "invite%2B1", "a link is shown once")
	require.Contains(t, a.body, `action="/account/invites/inv_1/revoke"`)

	b := h.browser()
	require.Contains(t, b.get("/invite?token=invite%2B1").body, `name="token" value="invite&#43;1"`)
	given := url.Values{"token": {"invite+1"}, "email": {"v@example.com"}, "password": {"another horse"}}
	a = b.form("/invite", given)
	require.Equal(t, "/requests", a.header.Get("Location"), a.body)
	a = b.get("/account")
	require.Contains(t, a.body, "v@example.com (you)")
	require.NotContains(t, a.body, "/account/users/", "a viewer is not offered what a viewer may not do")
	require.NotContains(t, a.body, "/account/invites")
	a = h.browser().form("/invite", given)
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, "already used")
}

func TestTheAccountPage(t *testing.T) {
	h := newHouse(t, "")
	b, _ := h.person("a@example.com")
	b.joined("m@example.com", "member")
	h.accounts.events = []*keyauthv1.AuditEvent{{
		Version: 1, Time: timestamppb.New(created), Email: "a@example.com", Action: "key.create", AfterJson: `{"name":"<b>"}`,
	}}
	a := b.get("/account")
	require.Contains(t, a.body, `{&#34;name&#34;:&#34;&lt;b&gt;&#34;}`)
	require.Contains(t, a.body, `<option selected>member</option>`)
	require.NotContains(t, a.body, "owner of a new account")
	require.NotContains(t, a.body, "<script")

	for path, fields := range map[string]url.Values{
		"/account/users/usr_2/role": {"role": {"viewer"}},
		"/account/password":         {"current": {"correct horse"}, "password": {"battery staple"}},
		"/account/sessions/end":     nil,
	} {
		a = b.form(path, fields)
		require.Equal(t, http.StatusSeeOther, a.status, path+a.body)
		require.Equal(t, "/account", a.header.Get("Location"))
	}
	require.Equal(t, keyauthv1.Role_ROLE_VIEWER, h.accounts.people["m@example.com"].identity.GetUser().GetRole())
	require.Equal(t, "battery staple", h.accounts.people["a@example.com"].password)
	require.Equal(t, http.StatusSeeOther, b.form("/account/users/usr_2/remove", nil).status)
	require.Len(t, h.accounts.people, 1)

	a = b.form("/account/password", url.Values{"current": {"no"}, "password": {"hunter2"}})
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "the present password is wrong")
	require.NotContains(t, a.body, "hunter2")
	require.Contains(t, b.form("/account/users/usr_1/role", url.Values{"role": {"viewer"}}).body, "the last owner stays one")

	var own string
	for _, o := range h.accounts.sessions {
		own = o.session.GetId()
	}
	require.Equal(t, http.StatusSeeOther, b.form("/account/sessions/"+own+"/end", nil).status)
	require.Equal(t, "/login", b.get("/account").header.Get("Location"))
}

func TestInvitesOfThePagesAreRevokedAndMakeAccounts(t *testing.T) {
	h := newHouse(t, "")
	operator := h.operator()
	require.Contains(t, operator.get("/account").body, "owner of a new account")
	require.Equal(t, http.StatusCreated, operator.form("/account/invites", url.Values{"role": {"account"}}).status)
	require.Contains(t, operator.get("/account").body, "<td>owner of a new account</td>")
	require.Equal(t, http.StatusSeeOther, operator.form("/account/invites/inv_1/revoke", nil).status)
	require.Empty(t, h.accounts.invites)
	require.Equal(t, http.StatusNotFound, operator.form("/account/invites/inv_1/revoke", nil).status)
	require.Equal(t, http.StatusBadRequest, operator.form("/account/invites", nil).status)
}

func TestAPasswordIsSetWithAPlainForm(t *testing.T) {
	h := newHouse(t, "")
	h.person("a@example.com")
	h.accounts.invites[resetToken] = &invite{email: "a@example.com"}
	b := h.browser()
	a := b.get("/password?token=" + resetToken)
	require.Contains(t, a.body, `name="token" value="reset-me"`)
	require.NotContains(t, a.body, `name="email"`)
	a = b.form("/password", url.Values{"token": {resetToken}, "password": {"battery staple"}})
	require.Equal(t, "/requests", a.header.Get("Location"), a.body)
	require.Equal(t, "/requests", b.get("/").header.Get("Location"))
}
