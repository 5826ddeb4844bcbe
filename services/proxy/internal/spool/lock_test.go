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
	require.ErrorIs(t, err, errHeld)
	require.NoError(t, f.Close())
	f, err = lockDir(dir)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// Whoever removes a directory unlinks the lock while another may have it open.
func TestLockOnARemovedFileGuardsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	require.True(t, isAt(f, path))
	require.NoError(t, os.Remove(path))
	require.False(t, isAt(f, path))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.False(t, isAt(f, path))
}
