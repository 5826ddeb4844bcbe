package sqldb_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/sqldb"
)

func TestASnapshotOfABusyStoreIsWholeAndPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, sqldb.SQLiteURL(path), files())
	require.NoError(t, insert(t.Context(), db, 1)) // in the log, not yet in the file
	copied := filepath.Join(t.TempDir(), "copy.db")
	require.NoError(t, sqldb.Snapshot(t.Context(), path, copied))
	require.NoError(t, insert(t.Context(), db, 2))

	info, err := os.Stat(copied)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, 1, count(t, open(t, sqldb.SQLiteURL(copied), files())))
	require.Equal(t, 2, count(t, db))
}

func TestASnapshotIsWrittenOverNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	open(t, sqldb.SQLiteURL(path), files())
	require.ErrorIs(t, sqldb.Snapshot(t.Context(), path, path), os.ErrExist)
	require.ErrorIs(t, sqldb.Snapshot(t.Context(), path+".none", path+".copy"), os.ErrNotExist)
	require.NoFileExists(t, path+".none")
}
