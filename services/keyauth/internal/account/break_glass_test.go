package account_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
)

// claim returns the owner of the operator's account, who has a password.
func (w world) claim(t *testing.T, email string) access.SignIn {
	t.Helper()
	made, err := w.Bootstrap(t.Context(), "")
	require.NoError(t, err)
	in, err := w.Claim(t.Context(), made.ClaimToken, person(email))
	require.NoError(t, err)
	return in
}

// linkedOwner adds an owner of the operator's account with a password and an identity.
func (w world) linkedOwner(t *testing.T, operator access.Actor, email string) access.SignIn {
	t.Helper()
	invite, err := w.InviteUser(t.Context(), operator, access.Member)
	require.NoError(t, err)
	in, err := w.AcceptInvite(t.Context(), invite.Token, person(email), "")
	require.NoError(t, err)
	req := signOn("operator", "s1", email, access.Owner)
	req.SessionToken = in.Token
	return w.signOn(t, req)
}

func TestAnOperatorWithAPasswordIsNeverLinked(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		glass := w.claim(t, "glass@example.com")
		req := signOn("operator", "s1", "glass@example.com", access.Viewer)
		req.SessionToken = glass.Token
		_, err := w.SignOn(t.Context(), req)
		requireCode(t, apperr.EmailTaken, err)
		only := w.with(t, func(c *account.Config) { c.SSOOnly = true })
		in, err := only.Login(t.Context(), person("glass@example.com"))
		require.NoError(t, err)
		require.Equal(t, access.Owner, in.Identity.User.Role)
	})
}

// A sign-on lowers an owner of the operator's account only if another one has a password.
func TestASignOnKeepsTheLastOperatorWithAPassword(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		glass := w.claim(t, "glass@example.com")
		ann := w.linkedOwner(t, actorOf(glass), "ann@example.com")
		require.Equal(t, access.Member, w.signOn(t, signOn("operator", "s1", "ann@example.com", access.Member)).Identity.User.Role)
		w.signOn(t, signOn("operator", "s1", "ann@example.com", access.Owner))
		_, err := w.UpdateUser(t.Context(), actorOf(ann), glass.Identity.User.ID, access.Viewer)
		require.NoError(t, err)

		kept := w.signOn(t, signOn("operator", "s1", "other@example.com", access.Viewer))
		require.Equal(t, access.Owner, kept.Identity.User.Role)
		events, _, err := w.Audit(t.Context(), actorOf(kept), audit.Filter{}, 0, 0)
		require.NoError(t, err)
		require.Equal(t, "user.keep_role", events[0].Action)
		require.Contains(t, events[0].After, "viewer")

		_, err = w.SignOn(t.Context(), signOn("operator", "s1", "ann@example.com", ""))
		requireCode(t, apperr.AuthForbidden, err)
		_, err = w.Session(t.Context(), kept.Token)
		requireCode(t, apperr.SessionRequired, err)
		only := w.with(t, func(c *account.Config) { c.SSOOnly = true })
		in, err := only.Login(t.Context(), person("ann@example.com"))
		require.NoError(t, err)
		require.Equal(t, access.Owner, in.Identity.User.Role)
	})
}
