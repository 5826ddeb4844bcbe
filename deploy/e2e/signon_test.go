package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/idp"
)

const signOnOrigin = "http://signalbox.example.com"

// startWithIssuer starts a gateway whose users sign in only with the provider.
func startWithIssuer(t *testing.T, start func(*testing.T, ...string) *Gateway, name string, p *idp.Provider) *Gateway {
	t.Helper()
	secret, file := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "sso.yaml")
	require.NoError(t, os.WriteFile(secret, []byte(idp.ClientSecret+"\n"), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(`issuers:
- name: acme
  label: Acme
  issuer: `+p.URL+`
  client_id: `+idp.ClientID+`
  client_secret: file:`+secret+`
  account: operator
  roles: {owner: [admins], member: [devs], viewer: [all]}
`), 0o600))
	if strings.HasSuffix(name, "split") {
		return start(t, "--set", "SIGNALBOX_OIDC_FILE="+file, "--set", "SIGNALBOX_SSO_ONLY=true", "--set", "SIGNALBOX_PUBLIC_URL="+signOnOrigin)
	}
	address := freeAddress(t)
	b := start(t, "--oidc-file", file, "--sso-only", "--public-url", signOnOrigin, "--listen", address)
	b.Base, b.Dashboard = "http://"+address, "http://"+address // it greets with the public URL
	return b
}

// signOn signs the provider's person in and returns the client and the status of the last
// page.
func (b *Gateway) signOn() (*APIClient, int) {
	b.t.Helper()
	a := b.NewVisitor()
	a.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	visit := func(address string) *http.Response {
		resp, err := a.client.Get(address)
		require.NoError(b.t, err)
		require.NoError(b.t, resp.Body.Close())
		return resp
	}
	atIssuer := visit(b.Dashboard + "/login/sso/acme").Header.Get("Location")
	back := visit(atIssuer).Header.Get("Location")
	require.True(b.t, strings.HasPrefix(back, signOnOrigin+"/login/sso/acme/callback?"), back)
	return a, visit(strings.Replace(back, signOnOrigin, b.Dashboard, 1)).StatusCode
}

func (a *APIClient) role() string {
	var session struct{ User struct{ Role string } }
	a.Call(http.MethodGet, "/session", nil, &session)
	return session.User.Role
}

// TestSignOn signs in with a real identity provider in both deployments: the first sign-on
// creates the user, groups decide the role, and only the operator can use a password.
func TestSignOn(t *testing.T) {
	forEachDeployment(t, func(t *testing.T, start func(*testing.T, ...string) *Gateway) {
		p := idp.Start(t)
		box := startWithIssuer(t, start, t.Name(), p)
		require.NotEmpty(t, box.SignInOperator().role(), "the operator claims the account with a password")
		require.Equal(t, "owner", box.SignInOperator().role(), "and signs in with it")

		p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"all", "devs"}})
		ann, status := box.signOn()
		require.Equal(t, http.StatusSeeOther, status)
		require.Equal(t, "member", ann.role())
		var token struct{ Token string }
		status, body := ann.Call(http.MethodPost, "/tokens", map[string]any{"name": "ci", "scopes": []string{"read", "keys"}}, &token)
		require.Equal(t, http.StatusCreated, status, "%s", body)
		at := []string{"--server", box.Dashboard, "--token", token.Token}
		made := runCLI(t, append([]string{"keys", "create", "--name", "from ci"}, at...)...)
		require.Zero(t, made.code, made.err)
		require.Contains(t, made.out, "sbx_live_")

		p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com", Groups: []string{"all"}})
		again, _ := box.signOn()
		require.Equal(t, "viewer", again.role(), "a lost group lowers the role")
		require.Equal(t, "viewer", ann.role(), "in every session")
		refused := runCLI(t, append([]string{"keys", "list"}, at...)...)
		require.Contains(t, refused.err, "SESSION_REQUIRED", "and revokes the tokens")

		p.SetPerson(idp.Person{Subject: "s1", Email: "ann@example.com"})
		_, status = box.signOn()
		require.Equal(t, http.StatusForbidden, status)
		require.Empty(t, ann.role(), "without a group no session remains")
		p.SetPerson(idp.Person{Subject: "s2", Email: OperatorEmail, Groups: []string{"admins"}})
		_, status = box.signOn()
		require.Equal(t, http.StatusConflict, status, "an e-mail address does not link an identity")

		p.SetPerson(idp.Person{Subject: "s3", Email: "eve@example.com", Groups: []string{"admins"}})
		p.Forge(p.SignWithOtherKey)
		eve, status := box.signOn()
		require.Equal(t, http.StatusUnauthorized, status)
		require.Empty(t, eve.role())
		status, _ = box.NewVisitor().Call(http.MethodPost, "/register", map[string]string{"email": "x@example.com", "password": "a long enough password"}, nil)
		require.Equal(t, http.StatusForbidden, status)
	})
}
