package allinone

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
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

// requireSteps requires the report of a downgrade from the newest schemas. A store whose schema is
// that of PreviousCommit has nothing to take back.
func requireSteps(t *testing.T, report string) {
	t.Helper()
	all, err := Stores()
	require.NoError(t, err)
	for _, s := range all {
		want := "unchanged"
		if s.Schema > s.Previous {
			want = "took back "
		}
		require.Contains(t, report, fmt.Sprintf("%-10s %s", s.Service, want))
	}
}

// A schema has one number for both databases, so a migration that only one of them needs has an empty
// file for the other one.
func TestBothDatabasesHaveTheSameMigrations(t *testing.T) {
	all, err := Stores()
	require.NoError(t, err)
	for _, s := range all {
		for _, dir := range []string{"", "undo/"} {
			require.Equal(t, fileNames(t, s, dir+"postgres"), fileNames(t, s, dir+"sqlite"), "%s %s", s.Service, dir)
		}
	}
}

// fileNames returns the names in a directory of a store's migrations, or none if it does not exist.
func fileNames(t *testing.T, s Store, dir string) (names []string) {
	t.Helper()
	entries, err := fs.ReadDir(s.options.Migrations, dir)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
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
				requireSteps(t, out.String())
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
	requireSteps(t, out.String()) // the first attempt took nothing back
}
