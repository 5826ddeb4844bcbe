package store_test

import (
	"database/sql"
	"math"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/audit"
	"github.com/signalbox/signalbox/services/keyauth/internal/store/storetest"
)

func TestSQLiteAuditLogIsImmutable(t *testing.T) {
	url := storetest.SQLiteURL(t)
	tenant(t, open(t, url))
	db, err := sql.Open("sqlite", strings.TrimPrefix(url, "sqlite://"))
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	for _, statement := range []string{
		`UPDATE audit SET email = 'x'`,
		`DELETE FROM audit`,
		`REPLACE INTO audit SELECT account_id, version, 0, '', '', '', '', '', '' FROM audit`,
		`REPLACE INTO audit (rowid, account_id, version, at_us, user_id, email, action, subject, before_json, after_json)
SELECT rowid, account_id, version + 1, 0, '', '', '', '', '', '' FROM audit`,
	} {
		_, err := db.ExecContext(t.Context(), statement)
		require.ErrorContains(t, err, "the audit trail cannot be changed")
	}
}

// A superuser bypasses row security, and nothing restricts TRUNCATE by row.
func TestPostgresAuditLogIsImmutable(t *testing.T) {
	for name, url := range map[string]string{"login": storetest.LoginURL(t), "superuser": testenv.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			s := open(t, url)
			mine := tenant(t, s)
			conn, err := pgx.Connect(t.Context(), url)
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close(t.Context())) }()
			statements := []string{`TRUNCATE keyauth.audit`, `TRUNCATE keyauth.accounts CASCADE`}
			if name == "superuser" {
				statements = append(statements, `UPDATE keyauth.audit SET email = 'x'`, `DELETE FROM keyauth.audit`)
			}
			for _, statement := range statements {
				_, err := conn.Exec(t.Context(), statement)
				require.ErrorContains(t, err, "the audit trail cannot be changed", statement)
			}
			events, err := s.Events(t.Context(), mine, audit.Filter{}, math.MaxInt64, 10)
			require.NoError(t, err)
			require.Len(t, events, 1)
		})
	}
}
