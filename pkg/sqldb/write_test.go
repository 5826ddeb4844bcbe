package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// writers returns both ways to write. A transaction that waits for another one forever fails after a minute.
func writers(t *testing.T, db *sqldb.DB) map[string]func(f func(tx *sql.Tx) error) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return map[string]func(f func(tx *sql.Tx) error) error{
		"Write": func(f func(tx *sql.Tx) error) error { return db.Write(ctx, f) },
		"WriteOn": func(f func(tx *sql.Tx) error) error {
			return db.WriteOn(ctx, func(tx *sql.Tx, _ *sql.Conn) error { return f(tx) })
		},
	}
}

// A transaction that fails or panics leaves nothing behind: neither a row, nor a connection that
// the next one waits for. SQLite has only one.
func TestWriteThatDoesNotFinishLeavesNothing(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		require.Equal(t, db.Dialect == sqldb.Postgres, db.CanCopy())
		for name, write := range writers(t, db) {
			add := func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), `INSERT INTO a (id, v) VALUES (1, 'v')`)
				require.NoError(t, err)
				return nil
			}
			failure := errors.New("failed")
			require.ErrorIs(t, write(func(tx *sql.Tx) error { return errors.Join(add(tx), failure) }), failure, name)
			require.PanicsWithValue(t, "defect", func() {
				_ = write(func(tx *sql.Tx) error {
					require.NoError(t, add(tx))
					panic("defect")
				})
			}, name)
			require.Zero(t, count(t, db), name)
			require.NoError(t, write(add), name)
			require.Equal(t, 1, count(t, db), name)
			require.NoError(t, write(func(tx *sql.Tx) error {
				_, err := tx.ExecContext(t.Context(), `DELETE FROM a`)
				return err
			}), name)
		}
	})
}
