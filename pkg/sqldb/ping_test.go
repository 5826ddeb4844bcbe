package sqldb_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// All other connections are in use.
func TestABusyStoreIsNotLost(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		for range db.Read().Stats().MaxOpenConnections {
			conn, err := db.Read().Conn(t.Context())
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close()) }()
		}
		require.NoError(t, db.Ping(bounded(t)))
	})
}

func TestABusyWriterIsNotLost(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		db := open(t, url, files())
		require.NoError(t, db.Write(t.Context(), func(*sql.Tx) error { return db.Ping(bounded(t)) }))
	})
}

func TestALostStoreIsNoticedAndFoundAgain(t *testing.T) {
	url := testenv.Postgres(t)
	db := open(t, url, files())
	require.NoError(t, db.Ping(bounded(t)))
	end := testenv.Outage(t, url)
	require.Error(t, db.Ping(bounded(t)))
	end()
	require.NoError(t, db.Ping(bounded(t)))
}
