package storetest

import (
	"context"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/store"
)

// login is the login of the service, which is subject to row security, as in production.
var login = sqldb.ServiceLogin{Name: "keyauth_login", Password: "secret", Schema: "keyauth"}

// migrated has the tables of the newest version. In Postgres, they belong to login.
var migrated = testenv.Template{Prepare: func(at string) error {
	at, err := withLogin(at)
	if err != nil {
		return err
	}
	s, err := store.Open(context.Background(), at)
	if err != nil {
		return err
	}
	return s.Close()
}}

// withLogin creates login in a Postgres database, and returns the URL with it. The URL of a file stays.
func withLogin(at string) (string, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "postgres" {
		return at, err
	}
	u.User = url.UserPassword(login.Name, login.Password)
	return u.String(), sqldb.CreateLogins(context.Background(), at, []sqldb.ServiceLogin{login})
}

// SQLiteURL returns the URL of a new file with the tables.
func SQLiteURL(t testing.TB) string {
	t.Helper()
	return migrated.SQLite(t)
}

// LoginURL returns the URL of a new Postgres database with the tables, with the login of the service.
func LoginURL(t testing.TB) string {
	t.Helper()
	at, err := withLogin(migrated.Postgres(t))
	require.NoError(t, err)
	return at
}
