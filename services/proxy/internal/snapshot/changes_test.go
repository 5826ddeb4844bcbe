package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// saved returns a directory with the keys a, b and c.
func saved(t *testing.T) *Dir {
	t.Helper()
	d := open(t)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Version: 3, Known: []keys.Known{known("a", true), known("b", true), known("c", true)}}))
	return d
}

func scoped(id string, scopes ...string) keys.Known {
	k := known(id, true)
	k.Principal.Scopes = scopes
	return k
}

// reopened returns what the next process finds after the first one was killed.
func reopened(t *testing.T, d *Dir) (*Dir, map[string]*keys.Principal) {
	t.Helper()
	next, err := Open(d.path, d.log)
	require.NoError(t, err)
	s, ok := next.LoadKeys()
	require.True(t, ok)
	found := map[string]*keys.Principal{}
	for _, k := range s.Known {
		found[k.Principal.KeyID] = k.Principal
	}
	return next, found
}

func TestChangesAreStoredBeforeTheNextSnapshot(t *testing.T) {
	d := saved(t)
	d.AppendChange(scoped("a", "chat"))
	d.AppendChange(known("b", false))
	d.AppendChange(scoped("a", "models"))
	d.AppendChange(keys.Known{Digest: apikey.DigestOf("c")})
	for _, more := range []string{"chat", "embeddings"} { // each start goes on where the last one was killed
		next, found := reopened(t, d)
		require.ElementsMatch(t, []string{"a", "b"}, slices.Collect(maps.Keys(found)))
		require.False(t, found["b"].Active)
		require.NotContains(t, found["a"].Scopes, more)
		next.AppendChange(scoped("a", more))
		next.AppendChange(known("b", true)) // it has ended for good
		_, found = reopened(t, d)
		require.Equal(t, []string{more}, found["a"].Scopes)
		require.False(t, found["b"].Active)
	}
}

// A process may be killed at any step of writing a snapshot with changes.
func TestASnapshotTakesTheChangesIn(t *testing.T) {
	d := saved(t)
	d.AppendChange(scoped("a", "chat"))
	d.rotateChanges()
	d.AppendChange(scoped("b", "chat")) // while it is written
	_, found := reopened(t, d)
	require.Equal(t, []string{"chat"}, found["a"].Scopes)
	require.Equal(t, []string{"chat"}, found["b"].Scopes)

	covered := content(t, d, "changes-1")
	require.NoError(t, d.SaveKeys(keys.Snapshot{Known: []keys.Known{scoped("a", "models"), known("b", true)}}))
	require.NoFileExists(t, d.changesPath(1))
	require.NoError(t, os.WriteFile(d.changesPath(1), covered, 0o600)) // killed before it was removed
	_, found = reopened(t, d)
	require.Equal(t, []string{"models"}, found["a"].Scopes, "the snapshot is newer")
	require.Equal(t, []string{"chat"}, found["b"].Scopes, "and older than this")
}

// The numbers continue when the files are gone. Otherwise new changes would be taken for those in
// the snapshot.
func TestChangesAfterAnEmptyStartCount(t *testing.T) {
	d := saved(t)
	for _, scope := range []string{"chat", "models"} {
		d.AppendChange(scoped("a", scope))
		d.rotateChanges()
		require.NoError(t, d.SaveKeys(keys.Snapshot{Known: []keys.Known{scoped("a", scope)}}))
	}
	next, _ := reopened(t, d)
	next.AppendChange(known("a", false))
	_, found := reopened(t, d)
	require.False(t, found["a"].Active)
}

func TestATornLineIsTheLastOfItsFile(t *testing.T) {
	d := saved(t)
	d.AppendChange(known("a", false))
	whole := content(t, d, "changes-1")
	for cut := range whole {
		require.NoError(t, os.WriteFile(d.changesPath(1), slices.Concat(whole, whole[:cut]), 0o600))
		next, found := reopened(t, d)
		require.False(t, found["a"].Active)
		next.AppendChange(known("b", false))
		_, found = reopened(t, d)
		require.False(t, found["b"].Active)
		require.NoError(t, os.Remove(next.changesPath(2)))
	}
}

// An unreadable change may be a revocation.
func TestKeysAreNotUsedWithoutAllChanges(t *testing.T) {
	line, err := encodeChange(known("a", false))
	require.NoError(t, err)
	damaged := bytes.Clone(line)
	damaged[len(damaged)/2] ^= 1
	body, err := json.Marshal(changeLine{Format: keysFormat + 1, keysLine: keysLine{Digest: make([]byte, 32)}})
	require.NoError(t, err)
	other := fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body)
	for name, spoil := range map[string]func(path string) error{
		"a line":  func(path string) error { return os.WriteFile(path, slices.Concat(damaged, line), 0o600) },
		"no line": func(path string) error { return os.WriteFile(path, []byte("\n"), 0o600) },
		"format":  func(path string) error { return os.WriteFile(path, other, 0o600) },
		"no file": func(path string) error { return os.Mkdir(path, 0o700) },
		"large":   func(path string) error { return os.WriteFile(path, make([]byte, changesLimit+1), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			d := saved(t)
			require.NoError(t, spoil(d.changesPath(1)))
			next, err := Open(d.path, d.log)
			require.NoError(t, err)
			_, ok := next.LoadKeys()
			require.False(t, ok)
			require.NoError(t, next.SaveKeys(keys.Snapshot{Known: []keys.Known{known("b", true)}}))
			_, found := reopened(t, next)
			require.Len(t, found, 1, "the next snapshot is as good as any")
		})
	}
}

func TestEveryDamageOfAChangeIsNoticed(t *testing.T) {
	line, err := encodeChange(scoped("a", "chat"))
	require.NoError(t, err)
	line = bytes.TrimSuffix(line, []byte("\n"))
	_, err = decodeChange(line)
	require.NoError(t, err)
	for i := range line {
		line[i] ^= 1
		_, err := decodeChange(line)
		require.Error(t, err, "byte %d", i)
		line[i] ^= 1
	}
}

func TestChangesAreBounded(t *testing.T) {
	d := saved(t)
	d.changes.limit = 1000
	for range 10 {
		d.AppendChange(known("a", false))
		d.rotateChanges() // as when snapshots cannot be written
	}
	var size int
	numbers, err := d.listNumbers()
	require.NoError(t, err)
	for _, n := range numbers {
		data, err := os.ReadFile(d.changesPath(n))
		require.NoError(t, err)
		size += len(data)
	}
	require.LessOrEqual(t, size, 1000)
	require.NotZero(t, size)
	require.NoError(t, d.SaveKeys(keys.Snapshot{Known: []keys.Known{known("b", true)}}))
	d.AppendChange(known("b", false))
	_, found := reopened(t, d)
	require.False(t, found["b"].Active, "the change files have capacity again")
}
