package sqldb_test

import (
	"database/sql"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A query that finds no open connection opens one, which costs more than most queries. Connections
// that a burst opened take memory, so they close later.
func TestConnectionsStayOpenForAMinute(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		synctest.Test(t, func(t *testing.T) {
			pool := open(t, url, files()).Read()
			all := openAll(t, pool)
			<-time.After(59 * time.Second)
			require.Equal(t, all, pool.Stats().Idle)
			<-time.After(2 * time.Minute)
			require.Zero(t, pool.Stats().OpenConnections)
		})
	})
}

// openAll opens as many connections as a pool allows, and returns them to the pool. It returns their number.
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
