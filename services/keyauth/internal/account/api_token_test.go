package account_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

func readToken(name string) apitoken.Request {
	return apitoken.Request{Name: name, Scopes: []string{apitoken.ScopeRead}}
}

func (w world) newToken(t *testing.T, actor access.Actor, req apitoken.Request) apitoken.Created {
	t.Helper()
	made, err := w.Tokens.Create(t.Context(), actor, req)
	require.NoError(t, err)
	return made
}

// identify looks a token up by its digest, as the dashboard does.
func (w world) identify(t *testing.T, secret string) (access.Identity, apitoken.Token, error) {
	t.Helper()
	digest := sha256.Sum256([]byte(secret))
	return w.Tokens.Identity(t.Context(), digest[:])
}

func TestATokenActsAsItsUser(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		member := w.newActor(t, w.newAccount(t).ID, access.Member)
		made := w.newToken(t, member, apitoken.Request{Name: " ci ", Scopes: []string{apitoken.ScopeRead, apitoken.ScopeKeys}})
		require.Regexp(t, `^sbx_token_[\w-]{43}$`, made.Secret)
		require.Equal(t, made.Secret[:14], made.Token.Prefix)
		changed := w.NextChange()
		id, token, err := w.identify(t, made.Secret)
		require.NoError(t, err)
		select {
		case <-changed:
			t.Fatal("the use of a token wakes the watchers of keys")
		default:
		}
		require.Equal(t, access.Actor{AccountID: id.Account.ID, UserID: id.User.ID}, member)
		require.Equal(t, access.Member, id.User.Role)
		require.Equal(t, "ci", token.Name)
		require.Equal(t, []string{apitoken.ScopeRead, apitoken.ScopeKeys}, token.Scopes)

		all, emails, err := w.Tokens.List(t.Context(), member)
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, token.UsedAt, all[0].UsedAt, "the use is stored")
		require.Equal(t, id.User.Email, emails[all[0].UserID])
		require.NoError(t, w.Tokens.Revoke(t.Context(), member, token.ID))
		_, _, err = w.identify(t, made.Secret)
		requireCode(t, apperr.SessionRequired, err)
	})
}

func TestATokenAlwaysExpires(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made := w.newToken(t, owner, readToken("ci"))
		require.Equal(t, time.Now().Add(90*24*time.Hour), made.Token.ExpiresAt.Local())
		after(90*24*time.Hour - time.Second)
		_, _, err := w.identify(t, made.Secret)
		require.NoError(t, err)
		after(time.Second)
		_, _, err = w.identify(t, made.Secret)
		requireCode(t, apperr.SessionRequired, err)
	})
}

func TestInvalidTokensAreRefused(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for param, req := range map[string]apitoken.Request{
		"name":       {Scopes: []string{"read"}},
		"scopes":     {Name: "x", Scopes: []string{"read", "admin"}},
		"expires_at": {Name: "x", Scopes: []string{"read"}, ExpiresAt: time.Now().Add(367 * 24 * time.Hour)},
	} {
		_, err := w.Tokens.Create(t.Context(), owner, req)
		requireParam(t, param, err)
	}
	_, err := w.Tokens.Create(t.Context(), owner, apitoken.Request{Name: "x"})
	requireParam(t, "scopes", err)
	_, err = w.Tokens.Create(t.Context(), owner, apitoken.Request{Name: "x", Scopes: []string{"read"}, ExpiresAt: time.Now()})
	requireParam(t, "expires_at", err)
	_, _, err = w.identify(t, "sbx_token_guess")
	requireCode(t, apperr.SessionRequired, err)
}

// A token cannot have a scope that its user could not use.
func TestScopesNeedARole(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	id := w.newAccount(t).ID
	for role, allowed := range map[access.Role][]string{
		access.Viewer: {"read"}, access.Member: {"read", "write", "keys"}, access.Owner: {"read", "write", "keys"},
	} {
		actor := w.newActor(t, id, role)
		for _, scope := range []string{"read", "write", "keys", "policy"} {
			_, err := w.Tokens.Create(t.Context(), actor, apitoken.Request{Name: "x", Scopes: []string{scope}})
			if slices.Contains(allowed, scope) {
				require.NoError(t, err, "%s %s", role, scope)
				continue
			}
			requireCode(t, apperr.AuthForbidden, err)
		}
	}
	_, err := w.Tokens.Create(t.Context(), operator(t, w), apitoken.Request{Name: "x", Scopes: []string{"policy"}})
	require.NoError(t, err, "the operator's owners change the policy")
}

func TestTokensBelongToTheirUser(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner, stranger := w.newOwner(t), w.newOwner(t)
		member := w.newActor(t, owner.AccountID, access.Member)
		own := w.newToken(t, owner, readToken("owner's")).Token
		made := w.newToken(t, member, readToken("member's")).Token

		requireTokens(t, w, owner, made.ID, own.ID)
		requireTokens(t, w, member, made.ID)
		requireTokens(t, w, stranger)
		requireCode(t, apperr.NotFound, w.Tokens.Revoke(t.Context(), member, own.ID))
		requireCode(t, apperr.NotFound, w.Tokens.Revoke(t.Context(), stranger, own.ID))
		_, err := w.Tokens.Create(t.Context(), owner, apitoken.Request{UserID: member.UserID, Name: "x", Scopes: []string{"read"}})
		requireCode(t, apperr.AuthForbidden, err)
		_, err = w.Tokens.Create(t.Context(), owner, apitoken.Request{UserID: stranger.UserID, Name: "x", Scopes: []string{"read"}})
		requireCode(t, apperr.NotFound, err)

		line := access.Actor{AccountID: owner.AccountID} // the operator's command line
		_, err = w.Tokens.Create(t.Context(), line, readToken("x"))
		requireParam(t, "user_id", err)
		byLine := w.newToken(t, line, apitoken.Request{UserID: member.UserID, Name: "x", Scopes: []string{"read"}})
		require.Equal(t, member.UserID, byLine.Token.UserID)
		require.NoError(t, w.Tokens.Revoke(t.Context(), owner, made.ID), "an owner revokes every token")
	})
}

func requireTokens(t *testing.T, w world, actor access.Actor, want ...string) {
	t.Helper()
	all, _, err := w.Tokens.List(t.Context(), actor)
	require.NoError(t, err)
	var got []string
	for _, one := range all {
		got = append(got, one.ID)
	}
	require.Equal(t, want, got)
}

// A person who loses a role, leaves or has the password reset loses the tokens.
func TestTokensEndWithTheRole(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		for name, end := range map[string]func(a access.Actor) error{
			"lower role": func(a access.Actor) error {
				_, err := w.UpdateUser(t.Context(), owner, a.UserID, access.Viewer)
				return err
			},
			"removed": func(a access.Actor) error { return w.RemoveUser(t.Context(), owner, a.UserID) },
			"left":    func(a access.Actor) error { return w.RemoveUser(t.Context(), a, a.UserID) },
			"password reset": func(a access.Actor) error {
				_, err := w.ResetPassword(t.Context(), a.UserID+"@example.com")
				return err
			},
		} {
			member := w.newActor(t, owner.AccountID, access.Member)
			made := w.newToken(t, member, readToken("ci"))
			require.NoError(t, end(member), name)
			_, _, err := w.identify(t, made.Secret)
			requireCode(t, apperr.SessionRequired, err)
		}
		member := w.newActor(t, owner.AccountID, access.Viewer)
		made := w.newToken(t, member, readToken("ci"))
		_, err := w.UpdateUser(t.Context(), owner, member.UserID, access.Member)
		require.NoError(t, err)
		id, _, err := w.identify(t, made.Secret)
		require.NoError(t, err, "a higher role keeps the token")
		require.Equal(t, access.Member, id.User.Role)
	})
}

func TestTokensAreAudited(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	made := w.newToken(t, owner, readToken("ci"))
	require.NoError(t, w.Tokens.Revoke(t.Context(), owner, made.Token.ID))
	events, _, err := w.Audit(t.Context(), owner, audit.Filter{Action: "token"}, 0, 0)
	require.NoError(t, err)
	require.Len(t, events, 2)
	require.Equal(t, "token.revoke", events[0].Action)
	require.Equal(t, "token.create", events[1].Action)
	require.Contains(t, events[1].After, `"scopes":["read"]`)
	require.NotContains(t, events[1].After, made.Secret)
}

func TestTokensOfAUserAreLimited(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for range 50 {
		w.newToken(t, owner, readToken("ci"))
	}
	_, err := w.Tokens.Create(t.Context(), owner, readToken("ci"))
	requireCode(t, apperr.InvalidRequest, err)
}

// With sign-on only, a token works if its user can sign in.
func TestSSOOnlyCoversTokens(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		glass := w.claim(t, "glass@example.com")
		ann, err := w.Register(t.Context(), person("ann@example.com"), "")
		require.NoError(t, err)
		bob := w.signOn(t, signOn(ann.Identity.Account.ID, "s1", "bob@example.com", access.Member))
		only := w.with(t, func(c *account.Config) { c.SSOOnly = true })
		for _, in := range []access.SignIn{glass, bob} {
			_, _, err = only.identify(t, w.newToken(t, actorOf(in), readToken("ci")).Secret)
			require.NoError(t, err)
		}
		secret := w.newToken(t, actorOf(ann), readToken("ci")).Secret
		_, _, err = w.identify(t, secret)
		require.NoError(t, err)
		_, _, err = only.identify(t, secret)
		requireCode(t, apperr.SessionRequired, err)
	})
}
