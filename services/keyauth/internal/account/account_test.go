package account_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// world is the Service on a real store.
type world struct {
	*account.Service
	store *store.Store
}

// hashMemory is the memory of a password hash in these tests in KiB. With the usual 46 MiB, hashes take 40 % of
// their CPU time.
const hashMemory = 64

func newWorld(t *testing.T, registration account.Registration) world {
	t.Helper()
	return worldAt(t, storetest.SQLiteURL(t), registration)
}

func worldAt(t *testing.T, url string, registration account.Registration) world {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	svc, err := account.New(account.Config{
		Store: s, Pepper: bytes.Repeat([]byte("p"), account.PepperLen), Registration: registration, HashMemory: hashMemory,
	})
	require.NoError(t, err)
	return world{Service: svc, store: s}
}

// with returns another instance on the same store, with different settings.
func (w world) with(t *testing.T, change func(c *account.Config)) world {
	t.Helper()
	cfg := account.Config{
		Store: w.store, Pepper: bytes.Repeat([]byte("p"), account.PepperLen), Registration: account.RegistrationOpen,
		HashMemory: hashMemory,
	}
	if change != nil {
		change(&cfg)
	}
	svc, err := account.New(cfg)
	require.NoError(t, err)
	return world{Service: svc, store: w.store}
}

// eachStore runs a test on both databases.
func eachStore(t *testing.T, test func(t *testing.T, w world)) {
	t.Run("sqlite", func(t *testing.T) { test(t, newWorld(t, account.RegistrationOpen)) })
	t.Run("postgres", func(t *testing.T) { test(t, worldAt(t, storetest.LoginURL(t), account.RegistrationOpen)) })
}

// inTime runs a test with a fake clock; after advances it without waiting.
func inTime(t *testing.T, test func(t *testing.T, w world)) {
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t, account.RegistrationOpen)) })
}

func after(d time.Duration) { <-time.After(d) }

// newAccount creates an account directly in the store, because a registration would hash a password.
func (w world) newAccount(t *testing.T) access.Account {
	t.Helper()
	a := access.Account{ID: uuid.Must(uuid.NewV7()).String(), Name: "An account", CreatedAt: time.Now()}
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error {
		return tx.SaveAccount(t.Context(), a)
	}))
	return a
}

// newActor creates a user with a role in an account.
func (w world) newActor(t *testing.T, accountID string, role access.Role) access.Actor {
	t.Helper()
	u := access.User{ID: uuid.Must(uuid.NewV7()).String(), AccountID: accountID, Role: role, CreatedAt: time.Now()}
	u.Email = u.ID + "@example.com"
	require.NoError(t, w.store.Write(t.Context(), func(tx account.Tx) error { return tx.SaveUser(t.Context(), u) }))
	return access.Actor{AccountID: accountID, UserID: u.ID}
}

func (w world) newOwner(t *testing.T) access.Actor {
	t.Helper()
	return w.newActor(t, w.newAccount(t).ID, access.Owner)
}

func requireCode(t *testing.T, code apperr.Code, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, apperr.CodeOf(err), "%v", err)
}

func requireParam(t *testing.T, param string, err error) {
	t.Helper()
	requireCode(t, apperr.InvalidRequest, err)
	require.Equal(t, param, apperr.From(err).Details["param"])
}

func TestNewRefusesAShortPepper(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	_, err := account.New(account.Config{Store: w.store, Pepper: []byte("short"), Registration: account.RegistrationOpen})
	require.ErrorContains(t, err, "pepper has 5 bytes")
}

func TestUpdateAccountChangesTheNamedFields(t *testing.T) {
	eachStore(t, func(t *testing.T, w world) {
		owner := w.newOwner(t)
		values := access.Account{Name: "New", BaselineModel: "large", Capture: setting.CaptureNone, ContentDays: 7}
		got, err := w.UpdateAccount(t.Context(), owner, values, []string{"baseline_model", "capture"})
		require.NoError(t, err)
		require.Equal(t, "An account", got.Name)
		require.Zero(t, got.ContentDays)
		read, err := w.Account(t.Context(), owner)
		require.NoError(t, err)
		require.Equal(t, "large", read.BaselineModel)
		require.Equal(t, setting.CaptureNone, read.Capture)
	})
}

func TestUpdateAccountRefuses(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	for _, c := range []struct {
		name   string
		values access.Account
		mask   []string
		param  string
	}{
		{"no mask", access.Account{}, nil, "mask"},
		{"a field that cannot be changed", access.Account{Operator: true}, []string{"operator"}, "mask"},
		{"no name", access.Account{Name: " "}, []string{"name"}, "name"},
		{"a name of control characters", access.Account{Name: "a\x00b"}, []string{"name"}, "name"},
		{"an unknown capture", access.Account{Capture: "some"}, []string{"capture"}, "capture"},
		{"negative days", access.Account{ContentDays: -1}, []string{"content_days"}, "content_days"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := w.UpdateAccount(t.Context(), owner, c.values, c.mask)
			requireParam(t, c.param, err)
		})
	}
}

func TestUnavailableStoreIsReported(t *testing.T) {
	w := newWorld(t, account.RegistrationOpen)
	owner := w.newOwner(t)
	require.NoError(t, w.store.Close())
	_, err := w.Account(t.Context(), owner)
	requireCode(t, apperr.StoreUnavailable, err)
	_, err = w.Keys.Create(t.Context(), owner, setting.Key{Name: "k"})
	requireCode(t, apperr.StoreUnavailable, err)
	_, err = w.Keys.Verify(t.Context(), [32]byte{})
	requireCode(t, apperr.AuthUnavailable, err)
}
