package snapshot

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// active are the ids of the keys that work.
func active(t *testing.T, d *Dir) []string {
	t.Helper()
	s, ok := d.Keys()
	require.True(t, ok)
	var ids []string
	for _, k := range s.Known {
		if k.Principal.Active {
			ids = append(ids, k.Principal.KeyID)
		}
	}
	return ids
}

func TestARevocationIsKeptBeforeTheNextSnapshot(t *testing.T) {
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Seen: 3, Known: []keys.Known{known("a", true), known("b", true), known("c", true)}}))
	d.Revoked("a")
	d.Revoked("c")
	for range 2 { // a second start reads it from the snapshot
		require.Equal(t, []string{"b"}, active(t, d))
		require.NoFileExists(t, d.revoked())
	}
}

func TestKeysAreNotUsedWithoutTheListOfRevokedOnes(t *testing.T) {
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Known: []keys.Known{known("a", true)}}))
	require.NoError(t, os.Mkdir(d.revoked(), 0o700))
	_, ok := d.Keys()
	require.False(t, ok)
}
