package sqldb_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

const (
	addW  = `ALTER TABLE a ADD COLUMN w TEXT`
	dropW = "-- Deletes the values of w.\nALTER TABLE a DROP COLUMN w"
)

func withUndo(migrations fstest.MapFS, text string) fstest.MapFS {
	for _, dialect := range []string{"sqlite", "postgres"} {
		migrations["undo/"+dialect+"/0002_b.sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return migrations
}

func undo(t *testing.T, url string, migrations fstest.MapFS, keep int) ([]string, error) {
	t.Helper()
	taken, err := sqldb.Undo(t.Context(), url, sqldb.Options{Schema: "s", Migrations: migrations}, keep)
	var names []string
	for _, s := range taken {
		names = append(names, s.Migration)
	}
	return names, err
}

// fill creates a store with one row and closes it.
func fill(t *testing.T, url string, migrations fstest.MapFS) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: migrations})
	require.NoError(t, err)
	require.NoError(t, insert(t.Context(), db, 1))
	require.NoError(t, db.Close())
}

func TestADowngradedStoreOpensInTheOlderVersion(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		newer := withUndo(files(addW), dropW)
		fill(t, url, newer)
		names, err := undo(t, url, newer, 1)
		require.NoError(t, err)
		require.Equal(t, []string{"0002_b.sql"}, names)
		names, err = undo(t, url, newer, 1)
		require.NoError(t, err)
		require.Empty(t, names, "a second downgrade changes nothing")
		db, err := sqldb.Open(t.Context(), url, sqldb.Options{Schema: "s", Migrations: files()})
		require.NoError(t, err)
		require.Equal(t, 1, count(t, db))
		require.NoError(t, db.Close())
		require.Equal(t, 1, count(t, open(t, url, newer)), "it can be upgraded again")
	})
}

func TestAFailedDowngradeChangesNothing(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		fill(t, url, files(addW))
		_, err := undo(t, url, files(addW), 1)
		require.ErrorContains(t, err, "the migration 0002_b.sql cannot be taken back: restore a backup")
		_, err = undo(t, url, withUndo(files(addW), dropW+"; SELECT nonsense FROM nowhere"), 1)
		require.ErrorContains(t, err, "take back 0002_b.sql")
		db := open(t, url, files(addW))
		require.Equal(t, 1, count(t, db))
		_, err = db.Read().ExecContext(t.Context(), `SELECT w FROM a`)
		require.NoError(t, err)
	})
}

func TestDowngradeLeavesUnknownStoresAlone(t *testing.T) {
	eachDialect(t, func(t *testing.T, url string) {
		fill(t, url, files(addW))
		_, err := undo(t, url, files(), 0)
		require.ErrorContains(t, err, "cannot be taken back")
		_, err = undo(t, url, files(), 1)
		require.ErrorContains(t, err, "newer version")
	})
	names, err := undo(t, sqldb.SQLiteURL(t.TempDir()+"/none.db"), files(), 1)
	require.NoError(t, err)
	require.Empty(t, names)
}

// A running service would fail with every query on a table that is gone.
func TestDowngradeRefusesAStoreInUse(t *testing.T) {
	url := testenv.Postgres(t)
	newer := withUndo(files(addW), dropW)
	open(t, url, newer)
	_, err := undo(t, url, newer, 1)
	require.ErrorContains(t, err, "connections of the service s are open")
}

func TestUndoStepsSayWhatIsDeleted(t *testing.T) {
	o := sqldb.Options{Schema: "s", Migrations: withUndo(files(addW), dropW)}
	steps, err := sqldb.UndoSteps(o, sqldb.SQLite, 1)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, "the values of w", steps[0].Deletes)
	version, err := sqldb.SchemaVersion(o)
	require.NoError(t, err)
	require.Equal(t, 2, version)
}
