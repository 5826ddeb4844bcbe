package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
	"github.com/signalbox/signalbox/services/router/internal/engine"
	"github.com/signalbox/signalbox/services/router/internal/evidence"
	"github.com/signalbox/signalbox/services/router/internal/store"
	"github.com/signalbox/signalbox/services/router/internal/store/storetest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// migrated has the tables of the newest version.
var migrated = testenv.Template{Prepare: func(url string) error {
	s, err := store.Open(context.Background(), url)
	if err != nil {
		return err
	}
	return s.Close()
}}

func open(t *testing.T, url string) *store.Store {
	s, err := store.Open(context.Background(), url)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSQLite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store {
		return open(t, migrated.SQLite(t))
	})
	storetest.RunEvidence(t, func(t *testing.T) evidence.Store { return open(t, migrated.SQLite(t)) })
}

func TestPostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, migrated.Postgres(t)) })
	storetest.RunEvidence(t, func(t *testing.T) evidence.Store { return open(t, migrated.Postgres(t)) })
}
