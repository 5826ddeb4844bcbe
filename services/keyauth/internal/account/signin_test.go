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

func person(email string) account.SignInRequest {
	return account.SignInRequest{Email: email, Password: "correct horse", Client: "browser\x00 1"}
}

func actorOf(in access.SignIn) access.Actor {
	return access.Actor{AccountID: in.Identity.Account.ID, UserID: in.Identity.User.ID}
}

func TestRegisterLoginLogout(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person(" Ada@Example.COM "), "")
		require.NoError(t, err)
		require.Equal(t, "ada@example.com", in.Identity.User.Email)
		require.Equal(t, access.Owner, in.Identity.User.Role)
		require.Equal(t, "ada@example.com", in.Identity.Account.Name)
		require.False(t, in.Identity.Account.Operator)

		second, err := w.Login(t.Context(), person("ADA@example.com"))
		require.NoError(t, err)
		require.NotEqual(t, in.Token, second.Token)
		id, err := w.Session(t.Context(), second.Token)
		require.NoError(t, err)
		require.Equal(t, in.Identity.User, id.User)
		require.Equal(t, "browser 1", id.Session.Client)

		require.NoError(t, w.Logout(t.Context(), second.Token))
		require.NoError(t, w.Logout(t.Context(), second.Token))
		_, err = w.Session(t.Context(), second.Token)
		requireCode(t, apperr.SessionRequired, err)
		_, err = w.Session(t.Context(), in.Token)
		require.NoError(t, err, "other sessions go on")
	})
}

func TestRegisterRefuses(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	for _, c := range []struct{ name, email, password, param string }{
		{"no e-mail", "", "correct horse", "email"},
		{"no address", "ada", "correct horse", "email"},
		{"a name beside the address", "Ada <ada@example.com>", "correct horse", "email"},
		{"control characters", "a\x00b@example.com", "correct horse", "email"},
		{"letters that look like others", "\u0430da@example.com", "correct horse", "email"},
		{"an accent in two characters", "ade\u0301@example.com", "correct horse", "email"},
		{"letters that fold into ASCII", "\u212aim@example.com", "correct horse", "email"},
		{"a long e-mail", strings.Repeat("a", 250) + "@example.com", "correct horse", "email"},
		{"a short password", "ada@example.com", "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc", "password"},
		{"a huge password", "ada@example.com", strings.Repeat("a", 1025), "password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.Register(t.Context(), account.SignInRequest{Email: c.email, Password: c.password}, "")
			requireParam(t, c.param, err)
		})
	}
}

func TestAnEmailIsTakenOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		_, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		_, err = w.Register(t.Context(), person("ADA@example.com"), "")
		requireCode(t, apperr.EmailTaken, err)
	})
}

func TestRegistrationIsRefusedUnlessOpen(t *testing.T) {
	for _, r := range []account.Registration{account.RegistrationInvite, account.RegistrationClosed} {
		_, err := newWorld(t, r).Register(t.Context(), person("ada@example.com"), "")
		requireCode(t, apperr.RegistrationOff, err)
		require.Contains(t, apperr.From(err).Message, "ask the operator")
	}
}

func TestLoginDoesNotTellWhatIsWrong(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	wrong := person("ada@example.com")
	wrong.Password = "incorrect horse"
	_, known := w.Login(t.Context(), wrong)
	requireCode(t, apperr.LoginFailed, known)
	_, unknown := w.Login(t.Context(), person("bob@example.com"))
	require.Equal(t, known.Error(), unknown.Error())
	wrong.Password = strings.Repeat("a", 1025)
	_, huge := w.Login(t.Context(), wrong)
	require.Equal(t, known.Error(), huge.Error())
}

func TestGuessingIsSlowedDown(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		_, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		wrong := person("ada@example.com")
		wrong.Password = "incorrect horse"
		for range 5 {
			_, err = w.Login(t.Context(), wrong)
			requireCode(t, apperr.LoginFailed, err)
		}
		_, err = w.Login(t.Context(), person("ADA@example.com"))
		requireCode(t, apperr.TooManyAttempts, err)
		require.Equal(t, 30*time.Second, apperr.From(err).RetryAfter.Round(time.Millisecond))

		after(30 * time.Second)
		_, err = w.Login(t.Context(), person("ada@example.com"))
		require.NoError(t, err)
		_, err = w.Login(t.Context(), wrong)
		requireCode(t, apperr.LoginFailed, err)
	})
}

func TestSprayDoesNotLockOutKnownUsers(t *testing.T) {
	inTime(t, func(t *testing.T, w world) {
		at := func(email string) account.SignInRequest {
			return account.SignInRequest{Email: email, Password: "correct horse", Client: "browser 127.0.0.1"}
		}
		_, err := w.Register(t.Context(), at("ada@example.com"), "")
		require.NoError(t, err)
		for range 20 {
			_, err := w.SetPassword(t.Context(), "guess", newPassword, "browser 127.0.0.2")
			requireCode(t, apperr.TokenInvalid, err)
		}
		_, err = w.Login(t.Context(), at("eve@example.com"))
		requireCode(t, apperr.TooManyAttempts, err)
		_, err = w.Login(t.Context(), at("ada@example.com"))
		require.NoError(t, err)
	})
}

func TestIdleSessionExpires(t *testing.T) {
	const day = 24 * time.Hour
	inTime(t, func(t *testing.T, w world) {
		used, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		idle, err := w.Login(t.Context(), person("ada@example.com"))
		require.NoError(t, err)
		after(6 * day)
		id, err := w.Session(t.Context(), used.Token)
		require.NoError(t, err)
		require.Equal(t, time.Now().Add(7*day), id.Session.ExpiresAt().Local())
		after(day)
		_, err = w.Session(t.Context(), idle.Token)
		requireCode(t, apperr.SessionRequired, err)
		_, err = w.Session(t.Context(), used.Token)
		require.NoError(t, err)
		list, err := w.Sessions(t.Context(), actorOf(used))
		require.NoError(t, err)
		require.Len(t, list, 1)
	})
}

func TestSessionExpiresAtMaxAge(t *testing.T) {
	const day = 24 * time.Hour
	inTime(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		for range 29 {
			after(day)
			_, err = w.Session(t.Context(), in.Token)
			require.NoError(t, err)
		}
		after(day)
		_, err = w.Session(t.Context(), in.Token)
		requireCode(t, apperr.SessionRequired, err)
	})
}

func TestEndSessionEndsOwnSessions(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	ada, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	bob, err := w.Register(t.Context(), person("bob@example.com"), "")
	require.NoError(t, err)

	requireCode(t, apperr.NotFound, w.EndSession(t.Context(), actorOf(bob), ada.Identity.Session.ID))
	requireCode(t, apperr.NotFound, w.EndSession(t.Context(), actorOf(ada), uuid.NewString()))
	_, err = w.Session(t.Context(), ada.Token)
	require.NoError(t, err)
	require.NoError(t, w.EndSession(t.Context(), actorOf(ada), ada.Identity.Session.ID))
	_, err = w.Session(t.Context(), ada.Token)
	requireCode(t, apperr.SessionRequired, err)
	list, err := w.Sessions(t.Context(), actorOf(bob))
	require.NoError(t, err)
	require.Len(t, list, 1)
}
