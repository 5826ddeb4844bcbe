package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

const newPassword = "another horse"

func withPassword(email, password string) account.SignInRequest {
	return account.SignInRequest{Email: email, Password: password}
}

func TestAPasswordIsChanged(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		other, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		in, err := w.Login(t.Context(), person("ada@example.com"))
		require.NoError(t, err)
		_, err = w.ChangePassword(t.Context(), actorOf(in), uuid.NewString(), "correct horse", newPassword)
		requireCode(t, apperr.NotFound, err)
		changed, err := w.ChangePassword(t.Context(), actorOf(in), in.Identity.Session.ID, "correct horse", newPassword)
		require.NoError(t, err)

		id, err := w.Session(t.Context(), changed.Token)
		require.NoError(t, err)
		require.Equal(t, changed.Identity.Session, id.Session)
		require.NotEqual(t, in.Identity.Session.ID, id.Session.ID)
		require.Equal(t, in.Identity.Session.Client, id.Session.Client)
		for _, ended := range []string{in.Token, other.Token} {
			_, err = w.Session(t.Context(), ended)
			requireCode(t, apperr.SessionRequired, err)
		}
		_, err = w.Login(t.Context(), person("ada@example.com"))
		requireCode(t, apperr.LoginFailed, err)
		_, err = w.Login(t.Context(), withPassword("ada@example.com", newPassword))
		require.NoError(t, err)
	})
}

func TestChangePasswordNeedsTheCurrentOne(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		change := func(current, password string) error {
			_, err := w.ChangePassword(t.Context(), actorOf(in), "", current, password)
			return err
		}
		requireParam(t, "password", change("correct horse", "short"))
		requireParam(t, "password", change("correct horse", "correct horse"))
		requireParam(t, "current", change(strings.Repeat("x", 1025), newPassword))
		for range 4 {
			requireParam(t, "current", change("incorrect horse", newPassword))
		}
		requireCode(t, apperr.TooManyAttempts, change("correct horse", newPassword))
		_, err = w.Login(t.Context(), person("ada@example.com"))
		require.NoError(t, err, "nothing has changed, and the sign-in is not slowed")
		after(30 * time.Second)
		require.NoError(t, change("correct horse", newPassword))
		_, err = w.ChangePassword(t.Context(), access.Actor{AccountID: in.Identity.Account.ID}, "", "correct horse", newPassword)
		requireCode(t, apperr.NotFound, err)
	})
}

func TestResetWorksOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		lost, err := w.ResetPassword(t.Context(), "ADA@example.com")
		require.NoError(t, err)
		reset, err := w.ResetPassword(t.Context(), "ada@example.com")
		require.NoError(t, err)
		_, err = w.Session(t.Context(), in.Token)
		requireCode(t, apperr.SessionRequired, err)
		_, err = w.Login(t.Context(), person("ada@example.com"))
		requireCode(t, apperr.LoginFailed, err)
		_, err = w.ChangePassword(t.Context(), actorOf(in), "", "", newPassword)
		requireParam(t, "current", err)

		_, err = w.SetPassword(t.Context(), lost.Token, newPassword, "")
		requireCode(t, apperr.TokenInvalid, err)
		_, err = w.SetPassword(t.Context(), reset.Token, "short", "")
		requireParam(t, "password", err)
		set, err := w.SetPassword(t.Context(), reset.Token, newPassword, "browser")
		require.NoError(t, err)
		_, err = w.Session(t.Context(), set.Token)
		require.NoError(t, err)
		_, err = w.SetPassword(t.Context(), reset.Token, newPassword, "")
		requireCode(t, apperr.TokenInvalid, err)
		_, err = w.Login(t.Context(), withPassword("ada@example.com", newPassword))
		require.NoError(t, err)
	})
}

func TestResetExpires(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		_, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		reset, err := w.ResetPassword(t.Context(), "ada@example.com")
		require.NoError(t, err)
		require.Equal(t, time.Now().Add(24*time.Hour), reset.ExpiresAt.Local())
		after(24 * time.Hour)
		_, err = w.SetPassword(t.Context(), reset.Token, newPassword, "")
		requireCode(t, apperr.TokenInvalid, err)
	})
}

func TestResetNeedsAUser(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := w.ResetPassword(t.Context(), "nobody@example.com")
	requireCode(t, apperr.NotFound, err)
	_, err = w.ResetPassword(t.Context(), "nobody")
	requireParam(t, "email", err)
	_, err = w.SetPassword(t.Context(), "", newPassword, "")
	requireCode(t, apperr.TokenInvalid, err)
}

func TestGuessingTokensIsSlowedDown(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		const client = "browser 192.0.2.1"
		for range 20 {
			_, err := w.SetPassword(t.Context(), "guess", newPassword, client)
			requireCode(t, apperr.TokenInvalid, err)
		}
		guesser := person("eve@example.com")
		guesser.Client = client
		_, err := w.SetPassword(t.Context(), "guess", newPassword, client)
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = w.AcceptInvite(t.Context(), "guess", guesser, "")
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = w.Claim(t.Context(), "guess", guesser)
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = w.Login(t.Context(), guesser)
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = w.AcceptInvite(t.Context(), "guess", person("eve@example.com"), "")
		requireCode(t, apperr.TokenInvalid, err)
	})
}

// Any website can make a browser open links. That must not use up the attempts to sign in.
func TestChecksOfLinksHaveTheirOwnLimit(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		visitor := account.SignInRequest{Client: "browser 192.0.2.1"}
		open := map[string]func() error{
			"claim":    func() error { _, err := w.Claim(t.Context(), "dead", visitor); return err },
			"invite":   func() error { _, err := w.AcceptInvite(t.Context(), "dead", visitor, ""); return err },
			"password": func() error { _, err := w.SetPassword(t.Context(), "dead", "", visitor.Client); return err },
		}
		for range 20 {
			for name, check := range open {
				require.Equal(t, apperr.TokenInvalid, apperr.CodeOf(check()), name)
			}
		}
		for name, check := range open {
			require.Equal(t, apperr.TooManyAttempts, apperr.CodeOf(check()), name)
		}
		ada := person("ada@example.com")
		ada.Client = visitor.Client
		_, err := w.Login(t.Context(), ada)
		requireCode(t, apperr.LoginFailed, err)
		_, err = w.SetPassword(t.Context(), "dead", newPassword, visitor.Client)
		requireCode(t, apperr.TokenInvalid, err)
	})
}
