package sqldb_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

// A query that finds no open connection opens one, which costs more than most queries.
func TestAllReadersOfSQLiteStayOpen(t *testing.T) {
	db, err := sqldb.Open(t.Context(), sqldb.SQLiteURL(filepath.Join(t.TempDir(), "a.db")), sqldb.Options{Schema: "a", Migrations: files()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	readers := make([]*sql.Conn, db.Read().Stats().MaxOpenConnections)
	require.NotEmpty(t, readers)
	for i := range readers {
		readers[i], err = db.Read().Conn(t.Context())
		require.NoError(t, err)
	}
	for _, r := range readers {
		require.NoError(t, r.Close())
	}
	require.Equal(t, len(readers), db.Read().Stats().Idle)
}
