package account_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
)

func TestAResetIsSpentOnceAlsoAtTheSameTime(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		_, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		reset, err := w.ResetPassword(t.Context(), "ada@example.com")
		require.NoError(t, err)
		require.Equal(t, 1, succeeded(3, func() error {
			_, err := w.SetPassword(t.Context(), reset.Token, newPassword, "")
			return err
		}))
	})
}

// succeeded runs f concurrently and returns how many calls succeeded.
func succeeded(times int, f func() error) int {
	errs := make([]error, times)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = f() })
	}
	wg.Wait()
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
		}
	}
	return n
}

func TestAnInviteIsAcceptedOnceAlsoAtTheSameTime(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		invite, err := w.InviteUser(t.Context(), owner, access.Viewer)
		require.NoError(t, err)
		emails := make(chan string, 3)
		for _, email := range []string{"a@example.com", "b@example.com", "c@example.com"} {
			emails <- email
		}
		require.Equal(t, 1, succeeded(3, func() error {
			_, err := w.AcceptInvite(t.Context(), invite.Token, person(<-emails), "")
			return err
		}))
		users, err := w.Users(t.Context(), owner)
		require.NoError(t, err)
		require.Len(t, users, 2)
	})
}

func TestAKeyIsRotatedOnceAlsoAtTheSameTime(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		made, err := w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
		require.NoError(t, err)
		require.Equal(t, 1, succeeded(5, func() error {
			_, err := w.Keys.Rotate(t.Context(), owner, made.Key.ID, time.Hour)
			return err
		}))
		keys, err := w.Keys.List(t.Context(), owner)
		require.NoError(t, err)
		require.Len(t, keys, 2)
	})
}

// The pages check a link by calling these methods without the fields of the form.
func TestALinkIsCheckedBeforeTheFormAndNotSpentByIt(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	b, err := w.Bootstrap(t.Context(), "operator")
	require.NoError(t, err)
	invite, err := w.InviteUser(t.Context(), owner, access.Viewer)
	require.NoError(t, err)
	_, err = w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	reset, err := w.ResetPassword(t.Context(), "ada@example.com")
	require.NoError(t, err)
	for token, use := range map[string]func(token string, req account.SignInRequest) error{
		b.ClaimToken: func(token string, req account.SignInRequest) error {
			_, err := w.Claim(t.Context(), token, req)
			return err
		},
		invite.Token: func(token string, req account.SignInRequest) error {
			_, err := w.AcceptInvite(t.Context(), token, req, "")
			return err
		},
		reset.Token: func(token string, req account.SignInRequest) error {
			_, err := w.SetPassword(t.Context(), token, req.Password, "")
			return err
		},
	} {
		requireCode(t, apperr.TokenInvalid, use("bad", account.SignInRequest{}))
		requireCode(t, apperr.InvalidRequest, use(token, account.SignInRequest{}))
		require.NoError(t, use(token, person(token[:8]+"@example.com")))
	}
}

// meanwhile runs a function before the next write.
type meanwhile struct {
	account.Store
	do func()
}

func (m *meanwhile) Write(ctx context.Context, f func(tx account.Tx) error) error {
	do := m.do
	m.do = nil
	if do != nil {
		do()
	}
	return m.Store.Write(ctx, f)
}

// The password changes after it was compared and before the session is created.
func TestPasswordChangedDuringSignInFails(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, w world, me access.Actor){
		"reset": func(t *testing.T, w world, _ access.Actor) {
			_, err := w.ResetPassword(t.Context(), "ada@example.com")
			require.NoError(t, err)
		},
		"removed": func(t *testing.T, w world, me access.Actor) {
			w.newActor(t, me.AccountID, access.Owner)
			require.NoError(t, w.RemoveUser(t.Context(), me, me.UserID))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, account.RegistrationOpen)
			in, err := w.Register(t.Context(), person("ada@example.com"), "")
			require.NoError(t, err)
			late := &meanwhile{Store: w.store}
			svc, err := account.New(account.Config{
				Store: late, Pepper: make([]byte, account.PepperLen), Registration: account.RegistrationOpen,
				HashMemory: hashMemory,
			})
			require.NoError(t, err)
			late.do = func() { end(t, w, actorOf(in)) }
			_, err = svc.Login(t.Context(), person("ada@example.com"))
			requireCode(t, apperr.LoginFailed, err)
		})
	}
}

func TestConcurrentPasswordChangesOneSucceeds(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	in, err := w.Register(t.Context(), person("ada@example.com"), "")
	require.NoError(t, err)
	late := &meanwhile{Store: w.store}
	svc, err := account.New(account.Config{
		Store: late, Pepper: make([]byte, account.PepperLen), Registration: account.RegistrationOpen,
		HashMemory: hashMemory,
	})
	require.NoError(t, err)
	late.do = func() {
		_, err := w.ChangePassword(t.Context(), actorOf(in), "", "correct horse", newPassword)
		require.NoError(t, err)
	}
	_, err = svc.ChangePassword(t.Context(), actorOf(in), "", "correct horse", "third horse")
	requireParam(t, "current", err)
	_, err = w.Login(t.Context(), withPassword("ada@example.com", newPassword))
	require.NoError(t, err)
}

// If two owners remove each other at the same time, one must remain.
func TestOwnersCannotRemoveEachOther(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		a := w.newAccount(t)
		first, second := w.newActor(t, a.ID, access.Owner), w.newActor(t, a.ID, access.Owner)
		var wg sync.WaitGroup
		wg.Go(func() { _ = w.RemoveUser(t.Context(), first, second.UserID) })
		wg.Go(func() { _ = w.RemoveUser(t.Context(), second, first.UserID) })
		wg.Wait()
		users, err := w.Users(t.Context(), access.Actor{AccountID: a.ID})
		require.NoError(t, err)
		require.Len(t, users, 1)
	})
}

// The session ends after it was read and before its last-used time is saved.
func TestASessionThatEndedMeanwhileIsNotRevived(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		in, err := w.Register(t.Context(), person("ada@example.com"), "")
		require.NoError(t, err)
		unused := in.Identity.Session
		unused.SeenAt = unused.SeenAt.Add(-2 * time.Hour)
		require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error { return tx.SaveSession(t.Context(), unused) }))

		ended := false
		late := &meanwhile{Store: w.store, do: func() {
			require.NoError(t, w.Logout(t.Context(), in.Token))
			ended = true
		}}
		other := w.with(t, func(c *account.Config) { c.Store = late })
		_, err = other.Session(t.Context(), in.Token)
		require.NoError(t, err, "it was valid when it was read")
		require.True(t, ended)
		_, err = w.Session(t.Context(), in.Token)
		requireCode(t, apperr.SessionRequired, err)
	})
}
