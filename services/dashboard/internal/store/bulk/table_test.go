package bulk_test

import (
	"database/sql"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/dashboard/internal/store/bulk"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Without a transaction, copied rows would be stored even if a later step of the batch fails.
func TestCopyNeedsATransaction(t *testing.T) {
	create := fstest.MapFS{"postgres/0001_a.sql": &fstest.MapFile{Data: []byte(`CREATE TABLE a (id BIGINT PRIMARY KEY)`)}}
	db, err := sqldb.Open(t.Context(), testenv.Postgres(t), sqldb.Options{Schema: "s", Migrations: create})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	conn, err := db.Read().Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	table := bulk.Table{Name: "a", Columns: []bulk.Column{bulk.Int("id")}}

	require.ErrorContains(t, table.Copy(t.Context(), conn, [][]any{{int64(1)}}), "not in a usable transaction")
	require.NoError(t, db.WriteOn(t.Context(), func(_ *sql.Tx, conn *sql.Conn) error {
		return table.Copy(t.Context(), conn, [][]any{{int64(2)}})
	}))
	var id int64
	require.NoError(t, conn.QueryRowContext(t.Context(), `SELECT id FROM a`).Scan(&id))
	require.EqualValues(t, 2, id)
}
