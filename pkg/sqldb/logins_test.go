package sqldb_test

import (
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

var (
	first  = sqldb.ServiceLogin{Name: "login_first", Password: `pa'ss "one" $1`, Schema: "first"}
	second = sqldb.ServiceLogin{Name: "login_second", Password: "second", Schema: "second"}
)

// createLogins makes both in a fresh database and returns its superuser's url.
func createLogins(t *testing.T) string {
	t.Helper()
	super := testenv.Postgres(t)
	require.NoError(t, sqldb.CreateLogins(t.Context(), super, []sqldb.ServiceLogin{first, second}))
	return super
}

func urlOf(t *testing.T, super string, l sqldb.ServiceLogin) string {
	t.Helper()
	u, err := url.Parse(super)
	require.NoError(t, err)
	u.User = url.UserPassword(l.Name, l.Password)
	return u.String()
}

// openAs opens the store of a login as its service does, and adds one row.
func openAs(t *testing.T, super string, l sqldb.ServiceLogin) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), urlOf(t, super, l), sqldb.Options{Schema: l.Schema, Migrations: files()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	require.NoError(t, insert(t.Context(), db, 1))
	require.Equal(t, 1, count(t, db))
	return db
}

func TestALoginOwnsItsSchemaAndSeesNoOther(t *testing.T) {
	super := createLogins(t)
	mine := openAs(t, super, first)
	openAs(t, super, second)
	for _, statement := range []string{
		"SELECT count(*) FROM second.a",
		"SELECT number FROM second.migrations",
		"INSERT INTO second.a VALUES (2, 'v')",
		"DROP SCHEMA second CASCADE",
		"GRANT USAGE ON SCHEMA second TO login_first",
		"CREATE TABLE second.b (n BIGINT)",
		"CREATE TABLE public.b (n BIGINT)",
		"CREATE TEMPORARY TABLE b (n BIGINT)",
		"CREATE SCHEMA third",
		"CREATE ROLE third",
		"CREATE DATABASE third",
		"SET ROLE login_second",
		"ALTER ROLE login_second PASSWORD 'x'",
		"SELECT rolpassword FROM pg_authid",
	} {
		_, err := mine.Read().ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "(SQLSTATE 42501)", statement)
	}
}

func TestALoginNeedsItsPassword(t *testing.T) {
	super := createLogins(t)
	for _, password := range []string{"", "wrong", second.Password} {
		_, err := pgx.Connect(t.Context(), urlOf(t, super, sqldb.ServiceLogin{Name: first.Name, Password: password}))
		require.Error(t, err)
	}
}

func TestWhoeverHasNoLoginIsShutOut(t *testing.T) {
	super := testenv.Postgres(t)
	stranger := sqldb.ServiceLogin{Name: "login_stranger", Password: "stranger", Schema: "strange"}
	require.NoError(t, sqldb.CreateLogins(t.Context(), super, []sqldb.ServiceLogin{stranger}))
	_, err := pgx.Connect(t.Context(), urlOf(t, createLogins(t), stranger))
	require.ErrorContains(t, err, "permission denied for database")
}

func TestMakingLoginsAgainSetsPasswordsAndKeepsTheRest(t *testing.T) {
	super := createLogins(t)
	openAs(t, super, first)
	changed := first
	changed.Password = "changed"
	require.NoError(t, sqldb.CreateLogins(t.Context(), super, []sqldb.ServiceLogin{changed, second}))
	db, err := sqldb.Open(t.Context(), urlOf(t, super, changed), sqldb.Options{Schema: first.Schema, Migrations: files()})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.Equal(t, 1, count(t, db))
	_, err = pgx.Connect(t.Context(), urlOf(t, super, first))
	require.ErrorContains(t, err, "password authentication failed")
}

// This is the state after restoring a backup.
func TestTablesOfTheSuperuserAreHandedOver(t *testing.T) {
	super := testenv.Postgres(t)
	old, err := sqldb.Open(t.Context(), super, sqldb.Options{Schema: first.Schema, Migrations: files()})
	require.NoError(t, err)
	require.NoError(t, old.Close())
	require.NoError(t, sqldb.CreateLogins(t.Context(), super, []sqldb.ServiceLogin{first}))
	next, err := sqldb.Open(t.Context(), urlOf(t, super, first), sqldb.Options{Schema: first.Schema, Migrations: files(`ALTER TABLE a ADD COLUMN more TEXT`)})
	require.NoError(t, err)
	require.NoError(t, insert(t.Context(), next, 1))
	require.NoError(t, next.Close())
}

func TestMakeLoginsRefusesAndChangesNothing(t *testing.T) {
	super := testenv.Postgres(t)
	for want, login := range map[string]sqldb.ServiceLogin{
		"empty":           {Name: "login_bad", Schema: "bad"},
		"printable ASCII": {Name: "login_bad", Password: "gr\u00fcn", Schema: "bad"},
		"superuser":       {Name: "postgres", Password: "x", Schema: "bad"},
	} {
		err := sqldb.CreateLogins(t.Context(), super, []sqldb.ServiceLogin{{Name: "login_undone", Password: "x", Schema: "undone"}, login})
		require.ErrorContains(t, err, want)
	}
	conn, err := pgx.Connect(t.Context(), super)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_roles WHERE rolname IN ('login_bad', 'login_undone')`).Scan(&n))
	require.Zero(t, n)

	for _, url := range []string{"postgres://u:hidden@%zz/x", urlOf(t, super, sqldb.ServiceLogin{Name: "nobody", Password: "hidden"})} {
		err := sqldb.CreateLogins(t.Context(), url, nil)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "hidden")
	}
}
