package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func open(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) account.Store { return open(t, storetest.SQLiteURL(t)) })
}

// The suite runs with a login that is subject to row security, as in production.
func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) account.Store { return open(t, storetest.LoginURL(t)) })
}

func eachURL(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, storetest.SQLiteURL(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, storetest.LoginURL(t)) })
}

func TestPepperIsPinnedOnce(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		s := open(t, url)
		check, err := s.PepperCheck(t.Context())
		require.NoError(t, err)
		require.Nil(t, check)
		for _, offered := range []string{"first", "second"} {
			check, err = s.PinPepper(t.Context(), []byte(offered))
			require.NoError(t, err)
			require.Equal(t, []byte("first"), check)
		}
	})
}

func TestASecondOpenSeesTheSame(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		first, second := open(t, url), open(t, url)
		a := access.Account{ID: uuid.NewString(), Name: "kept", CreatedAt: time.Now().Truncate(time.Microsecond).UTC()}
		require.NoError(t, first.Write(t.Context(), func(tx account.Tx) error {
			return tx.SaveAccount(t.Context(), a)
		}))
		got, err := second.Account(t.Context(), a.ID)
		require.NoError(t, err)
		require.Equal(t, a.Name, got.Name)
		heads := [2]int64{}
		heads[0], err = first.Head(t.Context())
		require.NoError(t, err)
		heads[1], err = second.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, heads[0], heads[1])
	})
}
