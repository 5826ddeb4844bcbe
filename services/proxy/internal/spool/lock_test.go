package spool

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLockIsExclusive(t *testing.T) {
	dir := t.TempDir()
	f, err := lockDir(dir)
	require.NoError(t, err)
	_, err = lockDir(dir)
	require.ErrorIs(t, err, errLocked)
	require.NoError(t, f.Close())
	f, err = lockDir(dir)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// Deleting the lock file must not make another process adopt the directory of a
// living one.
func TestDeletedLockFileIsNoInvitation(t *testing.T) {
	c := config(t, t.TempDir())
	s := open(t, c)
	write(t, s, 0, 1)
	require.NoError(t, os.Remove(filepath.Join(s.own.dir, lockName)))
	require.Zero(t, open(t, c).adopted())
	require.NoError(t, s.Close())
	require.Equal(t, 1, open(t, c).adopted())
}

// Earlier versions lock only the file.
func TestLockOfAnEarlierBuildIsRespected(t *testing.T) {
	dir := t.TempDir()
	old, err := openLocked(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE)
	require.NoError(t, err)
	_, err = lockDir(dir)
	require.ErrorIs(t, err, errLocked)
	require.NoError(t, old.Close())
	l, err := lockDir(dir)
	require.NoError(t, err)
	_, err = openLocked(filepath.Join(dir, lockName), os.O_RDWR)
	require.ErrorIs(t, err, errLocked, "nor may they take ours")
	require.NoError(t, l.Close())
}

// A process that removes a directory unlinks the lock while another may have it open.
func TestLockOnARemovedFileGuardsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.True(t, isFileAt(f, path))
	require.NoError(t, os.Remove(path))
	require.False(t, isFileAt(f, path))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.False(t, isFileAt(f, path))
}
