package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/access"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
	"github.com/signalbox/signalbox/services/keyauth/internal/apitoken"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/keyring"
	"github.com/signalbox/signalbox/services/keyauth/internal/notice"
	"github.com/signalbox/signalbox/services/keyauth/internal/report"
	"github.com/signalbox/signalbox/services/keyauth/internal/setting"
	"github.com/signalbox/signalbox/services/keyauth/internal/spend"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

// tenant fills every table with row security with rows of a new account.
func tenant(t *testing.T, s account.Store) string {
	t.Helper()
	at, id := time.Now(), func() string { return uuid.Must(uuid.NewV7()).String() }
	a := access.Account{ID: id(), Name: "tenant", CreatedAt: at}
	u := access.User{ID: id(), AccountID: a.ID, Email: a.ID + "@example.com", Role: access.Owner, CreatedAt: at}
	k := keyring.Key{ID: id(), AccountID: a.ID, MAC: []byte(a.ID), CreatedAt: at}
	ctx := t.Context()
	require.NoError(t, s.Write(ctx, func(tx account.Tx) error {
		for _, save := range []func() error{
			func() error { return tx.SaveAccount(ctx, a) },
			func() error { return tx.SaveUser(ctx, u) },
			func() error { return tx.SaveKey(ctx, k) },
			func() error {
				return tx.SaveSession(ctx, access.Session{ID: id(), AccountID: a.ID, UserID: u.ID, Hash: []byte(a.ID), CreatedAt: at, SeenAt: at})
			},
			func() error {
				return tx.SaveInvite(ctx, account.Invite{ID: id(), AccountID: a.ID, Hash: []byte(a.ID), CreatedAt: at, ExpiresAt: at})
			},
			func() error {
				return tx.SaveReset(ctx, account.Reset{AccountID: a.ID, UserID: u.ID, Hash: []byte(a.ID), ExpiresAt: at})
			},
			func() error {
				return tx.SaveAPIToken(ctx, apitoken.Token{ID: id(), AccountID: a.ID, UserID: u.ID, Hash: []byte(a.ID), CreatedAt: at, ExpiresAt: at})
			},
			func() error {
				return tx.SaveIdentity(ctx, account.ExternalIdentity{Issuer: "https://login.example.com", Subject: a.ID}, u)
			},
			func() error {
				return tx.SaveBudget(ctx, a.ID, setting.Budget{ID: id(), Name: "tenant", Kind: setting.KindTag, Value: "tenant"})
			},
			func() error { return tx.SaveEvent(ctx, audit.Event{AccountID: a.ID, At: at}) },
			func() error { return tx.QueueNotice(ctx, notice.Notice{ID: id(), AccountID: a.ID, DueAt: at}) },
			func() error {
				return tx.SaveSums(ctx, []spend.Sum{{SumKey: spend.SumKey{AccountID: a.ID, Period: "2026-03"}}})
			},
		} {
			if err := save(); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.SaveUses(ctx, []report.Use{{AccountID: a.ID, KeyID: k.ID, At: at}}))
	return a.ID
}

const tablesWithRowSecurity = `SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity
FROM pg_class c WHERE c.relnamespace = 'keyauth'::regnamespace AND c.relkind = 'r'`

// free lists the tables without data of accounts.
var free = map[string]bool{"installation": true, "migrations": true}

// The statements of this test omit the account, as a programming error would.
func TestRowSecurityHidesOtherAccounts(t *testing.T) {
	at := storetest.LoginURL(t)
	s := open(t, at)
	mine, theirs := tenant(t, s), tenant(t, s)
	unfenced, err := s.BypassesRowSecurity(t.Context())
	require.NoError(t, err)
	require.False(t, unfenced)

	conn, err := pgx.Connect(t.Context(), at)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	found, err := conn.Query(t.Context(), tablesWithRowSecurity)
	require.NoError(t, err)
	var table string
	var forced bool
	var tables []string
	_, err = pgx.ForEachRow(found, []any{&table, &forced}, func() error {
		if !free[table] {
			require.True(t, forced, table)
			tables = append(tables, table)
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, tables, 14)
	for _, table := range tables {
		column := "account_id"
		if table == "accounts" {
			column = "id"
		}
		require.Empty(t, seen(t, conn, "", "SELECT DISTINCT "+column+" FROM keyauth."+table), table)
		require.Equal(t, []string{mine}, seen(t, conn, mine, "SELECT DISTINCT "+column+" FROM keyauth."+table), table)
		require.Equal(t, []string{theirs}, seen(t, conn, theirs, "SELECT DISTINCT "+column+" FROM keyauth."+table), table)
		requireNoWrite(t, conn, mine, "UPDATE keyauth."+table+" SET "+column+" = "+column+" WHERE "+column+" = '"+theirs+"'")
		requireNoWrite(t, conn, mine, "DELETE FROM keyauth."+table+" WHERE "+column+" = '"+theirs+"'")
	}
	requireNoWrite(t, conn, mine, "UPDATE keyauth.audit SET email = 'x'")
	requireNoWrite(t, conn, mine, "DELETE FROM keyauth.audit")
}

// seen returns the values that a statement returns in the scope of an account.
func seen(t *testing.T, conn *pgx.Conn, accountID, statement string) []string {
	t.Helper()
	var values []string
	require.NoError(t, pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if accountID != "" {
			if _, err := tx.Exec(t.Context(), `SELECT set_config('signalbox.account', $1, TRUE)`, accountID); err != nil {
				return err
			}
		}
		found, err := tx.Query(t.Context(), statement)
		if err != nil {
			return err
		}
		values, err = pgx.CollectRows(found, pgx.RowTo[string])
		return err
	}))
	return values
}

func requireNoWrite(t *testing.T, conn *pgx.Conn, accountID, statement string) {
	t.Helper()
	require.NoError(t, pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SELECT set_config('signalbox.account', $1, TRUE)`, accountID); err != nil {
			return err
		}
		tag, err := tx.Exec(t.Context(), statement)
		require.Zero(t, tag.RowsAffected(), statement)
		return err
	}))
}

// The store tries to save a row under the wrong account, as a programming error would.
func TestARowOfAnotherAccountIsNotOverwritten(t *testing.T) {
	s := open(t, storetest.LoginURL(t))
	mine, theirs := tenant(t, s), tenant(t, s)
	keys, err := s.Keys(t.Context(), theirs, time.Now(), 0)
	require.NoError(t, err)
	stolen := keys[0]
	stolen.AccountID = mine
	err = s.Write(t.Context(), func(tx account.Tx) error { return tx.SaveKey(t.Context(), stolen) })
	require.ErrorContains(t, err, "row-level security")
	after, err := s.Keys(t.Context(), theirs, time.Now(), 0)
	require.NoError(t, err)
	require.Equal(t, keys, after)
}

func TestNoScopeIsLeftOnAConnection(t *testing.T) {
	s := open(t, storetest.LoginURL(t))
	mine := tenant(t, s)
	for range 20 {
		_, err := s.Account(t.Context(), mine)
		require.NoError(t, err)
		_, err = s.Operator(t.Context())
		require.ErrorIs(t, err, access.ErrNoRow)
		left, err := s.LeftScope(t.Context())
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestReadsSurviveBrokenConnections(t *testing.T) {
	at := storetest.LoginURL(t)
	s := open(t, at)
	mine := tenant(t, s)
	conn, err := pgx.Connect(t.Context(), at)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE usename = current_user AND pid <> pg_backend_pid()`)
	require.NoError(t, err)
	_, err = s.Account(t.Context(), mine)
	require.NoError(t, err)
}

func TestSuperuserBypassesRowSecurity(t *testing.T) {
	s := open(t, testenv.Postgres(t))
	unfenced, err := s.BypassesRowSecurity(t.Context())
	require.NoError(t, err)
	require.True(t, unfenced)
}
