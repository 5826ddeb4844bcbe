package sqldb_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// A query that finds no open connection opens one, which costs more than most queries. Connections
// that a burst opened take memory, so they close later.
func TestConnectionsStayOpenForAMinute(t *testing.T) {
	for name, tt := range map[string]struct {
		url        string
		migrations fstest.MapFS
	}{
		"SQLite":   {sqldb.SQLiteURL(filepath.Join(t.TempDir(), "a.db")), files()},
		"Postgres": {testenv.Postgres(t), numbers},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				db, err := sqldb.Open(t.Context(), tt.url, sqldb.Options{Schema: "a", Migrations: tt.migrations})
				require.NoError(t, err)
				defer func() { require.NoError(t, db.Close()) }()
				all := openAll(t, db.Read())
				<-time.After(59 * time.Second)
				require.Equal(t, all, db.Read().Stats().Idle)
				<-time.After(2 * time.Minute)
				require.Zero(t, db.Read().Stats().OpenConnections)
			})
		})
	}
}

// openAll opens all connections of a pool, which use none of them afterwards. It returns how many.
func openAll(t *testing.T, pool *sql.DB) int {
	all := make([]*sql.Conn, pool.Stats().MaxOpenConnections)
	require.NotEmpty(t, all)
	for i := range all {
		var err error
		all[i], err = pool.Conn(t.Context())
		require.NoError(t, err)
	}
	for _, c := range all {
		require.NoError(t, c.Close())
	}
	return len(all)
}
