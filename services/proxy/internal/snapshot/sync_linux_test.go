package snapshot

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// makeUnsyncable replaces the open file whose path matches a pattern by a pipe, which can be
// written but not synced.
func makeUnsyncable(t *testing.T, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.Len(t, paths, 1)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	all, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, f := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + f.Name()); to == paths[0] {
			fd, err := strconv.Atoi(f.Name())
			require.NoError(t, err)
			require.NoError(t, syscall.Dup3(int(w.Fd()), fd, syscall.O_CLOEXEC))
			return
		}
	}
	require.Fail(t, "the file is not open")
}

// A new file replaces the old one only if the disk has its content. Otherwise a power failure
// could leave an empty file.
func TestAFileThatIsNotSyncedReplacesNothing(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(dir, "file")
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	require.NoError(t, replaceFile(path, write("old")))
	err = replaceFile(path, func(w io.Writer) error {
		makeUnsyncable(t, filepath.Join(dir, ".writing-*"))
		return write("new")(w)
	})
	require.ErrorIs(t, err, syscall.EINVAL)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
}
