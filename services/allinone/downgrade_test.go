package allinone

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// migrateAll opens and closes every store, which applies the missing migrations.
func migrateAll(t *testing.T, data, postgresURL string) {
	t.Helper()
	all, err := Stores()
	require.NoError(t, err)
	for _, s := range all {
		db, err := sqldb.Open(t.Context(), s.url(data, postgresURL), s.options)
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

// The undo files leave nothing behind that a later upgrade would stumble over.
func TestMigrationsCanBeTakenBackAndAppliedAgain(t *testing.T) {
	for name, url := range map[string]string{"sqlite": "", "postgres": testenv.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			data := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(data, lockFile), nil, 0o600))
			migrateAll(t, data, url)
			for range 2 {
				var out bytes.Buffer
				require.NoError(t, Downgrade(t.Context(), data, url, &out))
				require.Contains(t, out.String(), "router     took back ")
				migrateAll(t, data, url)
			}
		})
	}
}

func TestDowngradeChangesNothingWhileAServiceRuns(t *testing.T) {
	t.Parallel()
	url := testenv.Postgres(t)
	migrateAll(t, "", url)
	all, err := Stores()
	require.NoError(t, err)
	last := all[len(all)-1]
	running, err := sqldb.Open(t.Context(), last.url("", url), last.options)
	require.NoError(t, err)
	var out bytes.Buffer
	require.ErrorContains(t, Downgrade(t.Context(), "", url, &out), "connections of the service "+last.Service)
	require.Empty(t, out.String())
	require.NoError(t, running.Close())
	require.NoError(t, Downgrade(t.Context(), "", url, &out))
	require.NotContains(t, out.String(), "unchanged", "the first attempt took nothing back")
}
