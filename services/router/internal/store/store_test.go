package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/store"
	"github.com/signalbox/signalbox/services/router/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func open(t *testing.T, url string) *store.Store {
	s, err := store.Open(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store {
		return open(t, sqliteURL(t))
	})
	storetest.RunEvidence(t, func(t *testing.T) evidence.Store { return open(t, sqliteURL(t)) })
}

func sqliteURL(t *testing.T) string { return sqldb.SQLiteURL(filepath.Join(t.TempDir(), "policy.db")) }

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, testenv.Postgres(t)) })
	storetest.RunEvidence(t, func(t *testing.T) evidence.Store { return open(t, testenv.Postgres(t)) })
}
