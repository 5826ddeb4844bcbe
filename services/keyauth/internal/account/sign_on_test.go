package account_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

const issuer = "https://login.example.com"

func signOn(accountID, subject, email string, role access.Role) account.SignOnRequest {
	return account.SignOnRequest{
		ExternalIdentity: account.ExternalIdentity{Issuer: issuer, Subject: subject},
		Email:            email, EmailVerified: true, Role: role, Account: accountID, Client: "browser 192.0.2.1",
	}
}

func (w world) signOn(t *testing.T, req account.SignOnRequest) access.SignIn {
	t.Helper()
	in, err := w.SignOn(t.Context(), req)
	require.NoError(t, err)
	return in
}

func TestTheFirstSignOnCreatesTheUser(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		first := w.signOn(t, signOn(owner.AccountID, "s1", "Ann@example.com", access.Member))
		require.Equal(t, "ann@example.com", first.Identity.User.Email)
		require.Equal(t, access.Member, first.Identity.User.Role)
		require.Equal(t, owner.AccountID, first.Identity.Account.ID)
		id, err := w.Session(t.Context(), first.Token)
		require.NoError(t, err)
		require.Equal(t, issuer, id.Session.Issuer)

		again := w.signOn(t, signOn(owner.AccountID, "s1", "ann@example.com", access.Member))
		require.Equal(t, first.Identity.User.ID, again.Identity.User.ID)
		events, _, err := w.Audit(t.Context(), owner, audit.Filter{}, 0, 0)
		require.NoError(t, err)
		require.Len(t, events, 1, "an unchanged user is not audited again")
		require.Equal(t, "user.provision", events[0].Action)
		require.Contains(t, events[0].After, issuer)

		_, err = w.Login(t.Context(), account.SignInRequest{Email: "ann@example.com", Password: "", Client: "192.0.2.1"})
		requireCode(t, apperr.LoginFailed, err)
	})
}

// Issuer and subject together identify a person.
func TestOtherIssuersAndSubjectsAreOtherPeople(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		id := w.newAccount(t).ID
		ann := w.signOn(t, signOn(id, "s1", "ann@example.com", access.Member))
		other := signOn(id, "s1", "bob@example.com", access.Member)
		other.Issuer = "https://other.example.com"
		require.NotEqual(t, ann.Identity.User.ID, w.signOn(t, other).Identity.User.ID)
		require.NotEqual(t, ann.Identity.User.ID, w.signOn(t, signOn(id, "s2", "eve@example.com", access.Member)).Identity.User.ID)
	})
}

// An e-mail address never gives access to the user who has it.
func TestAnEmailDoesNotLinkAnIdentity(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		victim, err := w.Register(t.Context(), person("ann@example.com"), "")
		require.NoError(t, err)
		id := victim.Identity.Account.ID
		eve, err := w.Register(t.Context(), person("eve@example.com"), "")
		require.NoError(t, err)

		req := signOn(id, "s1", "ann@example.com", access.Owner)
		_, err = w.SignOn(t.Context(), req)
		requireCode(t, apperr.EmailTaken, err)
		req.SessionToken = eve.Token
		_, err = w.SignOn(t.Context(), req)
		requireCode(t, apperr.EmailTaken, err)
		req.SessionToken, req.EmailVerified = victim.Token, false
		_, err = w.SignOn(t.Context(), req)
		requireCode(t, apperr.EmailTaken, err)
		elsewhere := signOn(eve.Identity.Account.ID, "s1", "ann@example.com", access.Owner)
		elsewhere.SessionToken = victim.Token
		_, err = w.SignOn(t.Context(), elsewhere)
		requireCode(t, apperr.EmailTaken, err)

		req.EmailVerified = true // with the password session of the same browser
		in := w.signOn(t, req)
		require.Equal(t, victim.Identity.User.ID, in.Identity.User.ID)
		require.Equal(t, victim.Identity.User.ID, w.signOn(t, signOn(id, "s1", "ann@example.com", access.Owner)).Identity.User.ID)
	})
}

func TestASignOnNamesTheAccount(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := operator(t, w)
	in := w.signOn(t, signOn("operator", "s1", "ann@example.com", access.Viewer))
	require.Equal(t, owner.AccountID, in.Identity.Account.ID)
	_, err := w.SignOn(t.Context(), signOn(w.newAccount(t).ID, "s1", "ann@example.com", access.Viewer))
	requireCode(t, apperr.AuthForbidden, err)
	for _, id := range []string{"", "unknown", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d"} {
		_, err = w.SignOn(t.Context(), signOn(id, "s2", "bob@example.com", access.Viewer))
		requireCode(t, apperr.NotFound, err)
	}
}

func TestALostGroupLowersTheRole(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		id := w.newAccount(t).ID
		in := w.signOn(t, signOn(id, "s1", "ann@example.com", access.Owner))
		ann := access.Actor{AccountID: id, UserID: in.Identity.User.ID}
		token := w.newToken(t, ann, readToken("ci"))
		_, err := w.InviteUser(t.Context(), ann, access.Owner)
		require.NoError(t, err)

		lower := w.signOn(t, signOn(id, "s1", "ann@example.com", access.Viewer))
		require.Equal(t, access.Viewer, lower.Identity.User.Role, "even the last owner")
		_, _, err = w.identify(t, token.Secret)
		requireCode(t, apperr.SessionRequired, err)
		open, err := w.Invites(t.Context(), access.Actor{AccountID: id})
		require.NoError(t, err)
		require.Empty(t, open)

		_, err = w.SignOn(t.Context(), signOn(id, "s1", "ann@example.com", ""))
		requireCode(t, apperr.AuthForbidden, err)
		for _, session := range []string{in.Token, lower.Token} {
			_, err = w.Session(t.Context(), session)
			requireCode(t, apperr.SessionRequired, err)
		}
		_, err = w.SignOn(t.Context(), signOn(id, "s2", "bob@example.com", ""))
		requireCode(t, apperr.AuthForbidden, err)
		users, err := w.Users(t.Context(), access.Actor{AccountID: id})
		require.NoError(t, err)
		require.Len(t, users, 1, "a person without a role gets no user")
	})
}

func TestTheIssuerChangesTheEmail(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	id := w.newAccount(t).ID
	w.signOn(t, signOn(id, "s1", "ann@example.com", access.Member))
	require.Equal(t, "ann2@example.com", w.signOn(t, signOn(id, "s1", "ann2@example.com", access.Member)).Identity.User.Email)
	w.signOn(t, signOn(id, "s2", "bob@example.com", access.Member))
	require.Equal(t, "ann2@example.com", w.signOn(t, signOn(id, "s1", "bob@example.com", access.Member)).Identity.User.Email, "bob has it")
}

func TestASignOnLastsADay(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		in := w.signOn(t, signOn(w.newAccount(t).ID, "s1", "ann@example.com", access.Member))
		after(24*time.Hour - time.Second)
		_, err := w.Session(t.Context(), in.Token)
		require.NoError(t, err)
		after(time.Second)
		_, err = w.Session(t.Context(), in.Token)
		requireCode(t, apperr.SessionRequired, err)
	})
}

// With sign-on only, a password works for owners of the operator's account alone.
func TestSSOOnlyLeavesTheBreakGlassOperator(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	made, err := w.Bootstrap(t.Context(), "")
	require.NoError(t, err)
	glass, err := w.Claim(t.Context(), made.ClaimToken, person("glass@example.com"))
	require.NoError(t, err)
	ann, err := w.Register(t.Context(), person("ann@example.com"), "")
	require.NoError(t, err)
	owner := access.Actor{AccountID: glass.Identity.Account.ID, UserID: glass.Identity.User.ID}
	invite, err := w.InviteUser(t.Context(), owner, access.Member)
	require.NoError(t, err)
	reset, err := w.with(t, nil).ResetPassword(t.Context(), "ann@example.com")
	require.NoError(t, err)
	ann2, err := w.SetPassword(t.Context(), reset.Token, "another long password", "192.0.2.1")
	require.NoError(t, err)
	reset, err = w.ResetPassword(t.Context(), "bob@example.com")
	requireCode(t, apperr.NotFound, err)

	only := w.with(t, func(c *account.Config) { c.SSOOnly = true })
	_, err = only.Session(t.Context(), glass.Token)
	require.NoError(t, err)
	_, err = only.Session(t.Context(), ann2.Token)
	requireCode(t, apperr.SessionRequired, err)
	_, err = only.Login(t.Context(), person("glass@example.com"))
	require.NoError(t, err)
	req := person("ann@example.com")
	req.Password = "another long password"
	_, err = only.Login(t.Context(), req)
	requireCode(t, apperr.LoginFailed, err)
	_, err = only.Register(t.Context(), person("x@example.com"), "")
	requireCode(t, apperr.RegistrationOff, err)
	_, err = only.AcceptInvite(t.Context(), invite.Token, person("y@example.com"), "")
	requireCode(t, apperr.RegistrationOff, err)
	_, err = only.InviteUser(t.Context(), owner, access.Member)
	requireCode(t, apperr.RegistrationOff, err)
	reset, err = only.ResetPassword(t.Context(), "ann@example.com")
	require.NoError(t, err)
	_, err = only.SetPassword(t.Context(), reset.Token, "another long password", "192.0.2.1")
	requireCode(t, apperr.TokenInvalid, err)
	state, err := only.Installation(t.Context())
	require.NoError(t, err)
	require.Equal(t, account.Installation{SSOOnly: true}, state)
	in := only.signOn(t, signOn(ann.Identity.Account.ID, "s1", "new@example.com", access.Member))
	_, err = only.Session(t.Context(), in.Token)
	require.NoError(t, err)
}

func TestAPersonWithoutARoleLosesThePassword(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		ann, err := w.Register(t.Context(), person("ann@example.com"), "")
		require.NoError(t, err)
		id := ann.Identity.Account.ID
		req := signOn(id, "s1", "ann@example.com", access.Owner)
		req.SessionToken = ann.Token
		w.signOn(t, req)
		_, err = w.SignOn(t.Context(), signOn(id, "s1", "ann@example.com", ""))
		requireCode(t, apperr.AuthForbidden, err)
		_, err = w.Login(t.Context(), person("ann@example.com"))
		requireCode(t, apperr.LoginFailed, err)

		reset, err := w.ResetPassword(t.Context(), "ann@example.com")
		require.NoError(t, err)
		_, err = w.SignOn(t.Context(), signOn(id, "s1", "ann@example.com", ""))
		requireCode(t, apperr.AuthForbidden, err)
		_, err = w.SetPassword(t.Context(), reset.Token, "another long password", "192.0.2.1")
		requireCode(t, apperr.TokenInvalid, err)
	})
}

func TestANewPasswordRevokesTokens(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		ann, err := w.Register(t.Context(), person("ann@example.com"), "")
		require.NoError(t, err)
		token := w.newToken(t, actorOf(ann), readToken("ci"))
		_, err = w.ChangePassword(t.Context(), actorOf(ann), ann.Identity.Session.ID, "correct horse", "another long password")
		require.NoError(t, err)
		_, _, err = w.identify(t, token.Secret)
		requireCode(t, apperr.SessionRequired, err)
	})
}

// A new password does not extend the session of a sign-on.
func TestANewPasswordKeepsTheSignOn(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		ann, err := w.Register(t.Context(), person("ann@example.com"), "")
		require.NoError(t, err)
		req := signOn(ann.Identity.Account.ID, "s1", "ann@example.com", access.Owner)
		req.SessionToken = ann.Token
		old := w.signOn(t, req)
		after(23 * time.Hour)
		in, err := w.ChangePassword(t.Context(), actorOf(ann), old.Identity.Session.ID, "correct horse", "another long password")
		require.NoError(t, err)
		require.Equal(t, issuer, in.Identity.Session.Issuer)
		require.Equal(t, old.Identity.Session.ExpiresAt(), in.Identity.Session.ExpiresAt())

		only := w.with(t, func(c *account.Config) { c.SSOOnly = true })
		_, err = only.ChangePassword(t.Context(), actorOf(ann), in.Identity.Session.ID, "another long password", "yet another password")
		requireCode(t, apperr.AuthForbidden, err)
		_, err = only.Session(t.Context(), in.Token)
		require.NoError(t, err, "a refused change ends no session")
	})
}

// With sign-on only, the password session of a user is not valid, so it links nothing.
func TestSSOOnlyLinksNoUsers(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	ann, err := w.Register(t.Context(), person("ann@example.com"), "")
	require.NoError(t, err)
	req := signOn(ann.Identity.Account.ID, "s1", "ann@example.com", access.Owner)
	req.SessionToken = ann.Token
	_, err = w.with(t, func(c *account.Config) { c.SSOOnly = true }).SignOn(t.Context(), req)
	requireCode(t, apperr.EmailTaken, err)
	require.ErrorContains(t, err, "before --sso-only is set")
	w.signOn(t, req)
}

// brokenSessions is a store that cannot read sessions in a transaction.
type brokenSessions struct{ account.Store }

type brokenSessionsTx struct{ account.Tx }

func (s brokenSessions) Write(ctx context.Context, f func(tx account.Tx) error) error {
	return s.Store.Write(ctx, func(tx account.Tx) error { return f(brokenSessionsTx{tx}) })
}

func (brokenSessionsTx) Session(context.Context, []byte) (access.Identity, error) {
	return access.Identity{}, errors.New("disk failure")
}

func TestASignOnReportsAFailureOfTheStore(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	ann, err := w.Register(t.Context(), person("ann@example.com"), "")
	require.NoError(t, err)
	req := signOn(ann.Identity.Account.ID, "s1", "ann@example.com", access.Owner)
	req.SessionToken = ann.Token
	broken := w.with(t, func(c *account.Config) { c.Store = brokenSessions{w.store} })
	_, err = broken.SignOn(t.Context(), req)
	require.Error(t, err)
	require.False(t, apperr.Is(err, apperr.EmailTaken), err)
}
