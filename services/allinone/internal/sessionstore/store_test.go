package sessionstore

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/proxy"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(t.Context(), dir)
	require.NoError(t, err)
	return s
}

func key(n int) []byte { return binary.BigEndian.AppendUint64(make([]byte, 8, 16), uint64(n)) }

func TestSavedStatesAreThereAfterARestart(t *testing.T) {
	dir, soon := t.TempDir(), time.Now().Add(time.Hour).UnixMilli()
	s := open(t, dir)
	require.NoError(t, s.Save(t.Context(), []proxy.SavedSession{{Key: key(2), State: []byte("old"), Expires: soon}, {Key: key(1), State: []byte{0, 255}, Expires: soon + 1}}))
	require.NoError(t, s.Save(t.Context(), []proxy.SavedSession{{Key: key(2), State: []byte("new"), Expires: soon + 2}}))
	require.NoError(t, s.Close())

	s = open(t, dir)
	defer func() { require.NoError(t, s.Close()) }()
	all, err := s.LoadAll(t.Context(), soon)
	require.NoError(t, err)
	require.Equal(t, []proxy.SavedSession{{Key: key(1), State: []byte{0, 255}, Expires: soon + 1}, {Key: key(2), State: []byte("new"), Expires: soon + 2}}, all)
	all, err = s.LoadAll(t.Context(), soon+1)
	require.NoError(t, err)
	require.Len(t, all, 1, "only what has not expired")
}

// A crash leaves the files as they are at that moment. What was saved is in them.
func TestSavedStatesSurviveACrash(t *testing.T) {
	dir, crashed, soon := t.TempDir(), t.TempDir(), time.Now().Add(time.Hour).UnixMilli()
	s := open(t, dir)
	defer func() { require.NoError(t, s.Close()) }()
	for i := range 5 {
		require.NoError(t, s.Save(t.Context(), []proxy.SavedSession{{Key: key(i), State: []byte("x"), Expires: soon + int64(i)}}))
	}
	require.NoError(t, os.CopyFS(crashed, os.DirFS(dir)))
	next := open(t, crashed)
	defer func() { require.NoError(t, next.Close()) }()
	all, err := next.LoadAll(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, all, 5)
}

func TestTheStoreIsBounded(t *testing.T) {
	s, soon := open(t, t.TempDir()), time.Now().Add(time.Hour).UnixMilli()
	defer func() { require.NoError(t, s.Close()) }()
	states := make([]proxy.SavedSession, maxSessions+5)
	for i := range states {
		states[i] = proxy.SavedSession{Key: key(i), State: []byte("x"), Expires: soon + int64(i)}
	}
	states[10].Expires = 1 // long ago
	require.NoError(t, s.Save(t.Context(), states))
	all, err := s.LoadAll(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, all, maxSessions)
	require.Equal(t, key(4), all[0].Key, "those that expire first are deleted")
}

func TestAFailureIsReported(t *testing.T) {
	_, err := Open(t.Context(), filepath.Join(t.TempDir(), "missing"))
	require.Error(t, err)
	s := open(t, t.TempDir())
	require.NoError(t, s.Close())
	require.Error(t, s.Save(t.Context(), nil))
	_, err = s.LoadAll(t.Context(), 0)
	require.Error(t, err)
}
