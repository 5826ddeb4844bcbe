package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/store"
	"github.com/signalbox/signalbox/services/router/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func open(t *testing.T, url string) engine.Store {
	s, err := store.Open(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store {
		return open(t, sqldb.SQLiteURL(filepath.Join(t.TempDir(), "policy.db")))
	})
}

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, testenv.Postgres(t)) })
}
