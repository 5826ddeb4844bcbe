package testenv

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Outage makes a database reject all connections until end is called. It also closes existing
// connections. database is a URL that the function Postgres returned.
func Outage(t testing.TB, database string) (end func()) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatalf("testenv: outage: %v", err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	allowConnections := func(allowed string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), queryLimit)
		defer cancel()
		conn, err := pgx.Connect(ctx, u.String())
		if err != nil {
			t.Fatalf("testenv: outage: %v", err)
		}
		defer func() { _ = conn.Close(ctx) }()
		for _, statement := range []string{
			"ALTER DATABASE " + name + " ALLOW_CONNECTIONS " + allowed,
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'",
		} {
			if _, err := conn.Exec(ctx, statement); err != nil {
				t.Fatalf("testenv: outage: %v", err)
			}
		}
	}
	allowConnections("false")
	return func() {
		t.Helper()
		allowConnections("true")
	}
}
