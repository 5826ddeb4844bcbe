package store_test

import (
	"database/sql"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testenv"
	"github.com/signalbox/signalbox/services/keyauth/internal/account"
)

// firstSchema are the migrations of the first version alone.
func firstSchema(t *testing.T) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, name := range []string{"sqlite/0001_init.sql", "postgres/0001_init.sql"} {
		text, err := os.ReadFile("migrations/" + name)
		require.NoError(t, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	return files
}

// Rows of the first version: an operator, and an invite of each kind.
func TestAnOldStoreIsBroughtUpToDate(t *testing.T) {
	eachURL(t, func(t *testing.T, url string) {
		old, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "keyauth", Migrations: firstSchema(t)})
		require.NoError(t, err)
		at := time.Now().UnixMicro()
		require.NoError(t, old.Write(t.Context(), func(tx *sql.Tx) error {
			for _, statement := range []string{
				`INSERT INTO accounts (id, name, baseline_model, capture, content_days, operator, created_us) VALUES ('op', 'Operator', '', '', 0, TRUE, $1)`,
				`INSERT INTO invites (hash, account_id, role, created_us, expires_us) VALUES ('joins', 'op', 'viewer', CAST($1 AS BIGINT), CAST($1 AS BIGINT) + 1000000)`,
				`INSERT INTO invites (hash, account_id, role, created_us, expires_us) VALUES ('makes', NULL, 'owner', CAST($1 AS BIGINT) + 1, CAST($1 AS BIGINT) + 1000000)`,
				`INSERT INTO changes (version, account_id, key_id, user_id, action, at_us) VALUES (2, 'op', '', '', 'create_account', $1)`,
			} {
				if _, err := tx.ExecContext(t.Context(), statement, at); err != nil {
					return err
				}
			}
			return nil
		}))
		require.NoError(t, old.Close())

		invites, err := open(t, url).Invites(t.Context(), "op", time.UnixMicro(at))
		require.NoError(t, err)
		require.Len(t, invites, 2)
		require.True(t, invites[0].NewAccount)
		require.Equal(t, "makes", string(invites[0].Hash))
		require.False(t, invites[1].NewAccount)
		for _, i := range invites {
			require.NoError(t, uuid.Validate(i.ID))
		}
		changes, err := open(t, url).Changes(t.Context(), 1, 10)
		require.NoError(t, err)
		require.Equal(t, []account.Change{{Version: 2, AccountID: "op"}}, changes)
	})
}

func TestTheTrailOfSQLiteIsNotChanged(t *testing.T) {
	url := sqliteURL(t)
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
		require.ErrorContains(t, err, "the audit trail is not changed")
	}
}

// A superuser is not bound by the fence, and nobody's TRUNCATE is.
func TestTheTrailOfPostgresIsNotChanged(t *testing.T) {
	for name, url := range map[string]string{"login": loginURL(t), "superuser": testenv.Postgres(t)} {
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
				require.ErrorContains(t, err, "the audit trail is not changed", statement)
			}
			events, err := s.Events(t.Context(), mine, math.MaxInt64, 10)
			require.NoError(t, err)
			require.Len(t, events, 1)
		})
	}
}
