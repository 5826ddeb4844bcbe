package userfiles

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestReplaceWritesAFileAndItsFolders(t *testing.T) {
	p := Path{Base: filepath.Join(t.TempDir(), "home"), Rel: "a/b/file"}
	require.Len(t, p.MissingFolders(), 3)
	require.NoError(t, Files{}.Replace(p, Content{}, []byte("one"), ModeSecret))
	read, err := Files{}.Read(p)
	require.NoError(t, err)
	require.Equal(t, Content{Exists: true, Data: []byte("one"), Mode: 0o600}, read)
	require.NoError(t, Files{}.Replace(p, read, []byte("two"), 0o644))
	read, err = Files{}.Read(p)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), read.Mode)
	left, err := os.ReadDir(filepath.Dir(p.String()))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file is left")
	require.NoError(t, Files{}.Remove(p, read))
	RemoveEmptyFolders([]string{p.Base, filepath.Join(p.Base, "a"), filepath.Join(p.Base, "a/b")})
	require.NoDirExists(t, p.Base)
}

func TestLinksAreRefused(t *testing.T) {
	for _, link := range []string{"dir/file", "dir"} {
		base, elsewhere := t.TempDir(), t.TempDir()
		write(t, filepath.Join(elsewhere, "file"), "theirs")
		target := elsewhere
		if link == "dir/file" {
			target = filepath.Join(elsewhere, "file")
			require.NoError(t, os.Mkdir(filepath.Join(base, "dir"), 0o700))
		}
		require.NoError(t, os.Symlink(target, filepath.Join(base, link)))
		p := Path{Base: base, Rel: "dir/file"}
		_, err := Files{}.Read(p)
		require.ErrorContains(t, err, filepath.Join(base, link)+" is a symbolic link")
		require.ErrorContains(t, Files{}.Replace(p, Content{}, []byte("ours"), ModeSecret), "symbolic link")
		require.ErrorContains(t, Files{}.Remove(p, Content{}), "symbolic link")
		text, err := os.ReadFile(filepath.Join(elsewhere, "file"))
		require.NoError(t, err)
		require.Equal(t, "theirs", string(text))
		left, err := os.ReadDir(elsewhere)
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
}

// A link inside the base folder is refused too, although it does not lead out of it.
func TestALinkToASiblingIsRefused(t *testing.T) {
	base := t.TempDir()
	write(t, filepath.Join(base, "real/file"), "theirs")
	require.NoError(t, os.Symlink("real", filepath.Join(base, "dir")))
	_, err := Files{}.Read(Path{Base: base, Rel: "dir/file"})
	require.ErrorContains(t, err, "symbolic link")
}

func TestTheBaseMayBeALink(t *testing.T) {
	home := t.TempDir()
	base := filepath.Join(t.TempDir(), "home")
	require.NoError(t, os.Symlink(home, base))
	require.NoError(t, Files{}.Replace(Path{Base: base, Rel: "dir/file"}, Content{}, []byte("ours"), ModeSecret))
	require.FileExists(t, filepath.Join(home, "dir/file"))
}

// A link that takes the place of the file or of its folder between two steps is not followed.
func TestALinkThatAppearsLaterIsNotFollowed(t *testing.T) {
	for _, swap := range []string{"dir/file", "dir"} {
		base, elsewhere := t.TempDir(), t.TempDir()
		write(t, filepath.Join(base, "dir/file"), "old")
		write(t, filepath.Join(elsewhere, "file"), "theirs")
		p := Path{Base: base, Rel: "dir/file"}
		read, err := Files{}.Read(p)
		require.NoError(t, err)
		swapped := false
		files := Files{Checkpoint: func(string) {
			if swapped {
				return
			}
			swapped = true
			require.NoError(t, os.Rename(filepath.Join(base, swap), filepath.Join(base, "moved")))
			target := map[string]string{"dir": elsewhere, "dir/file": filepath.Join(elsewhere, "file")}[swap]
			require.NoError(t, os.Symlink(target, filepath.Join(base, swap)))
		}}
		err = files.Replace(p, read, []byte("ours"), ModeSecret)
		if swap == "dir/file" {
			require.ErrorContains(t, err, "symbolic link")
		}
		text, err := os.ReadFile(filepath.Join(elsewhere, "file"))
		require.NoError(t, err)
		require.Equal(t, "theirs", string(text))
	}
}

func TestAChangedFileIsNotOverwritten(t *testing.T) {
	p := Path{Base: t.TempDir(), Rel: "file"}
	write(t, p.String(), "old")
	read, err := Files{}.Read(p)
	require.NoError(t, err)
	write(t, p.String(), "edited")
	require.ErrorContains(t, Files{}.Replace(p, read, []byte("new"), ModeSecret), "at the same time")
	require.ErrorContains(t, Files{}.Remove(p, read), "at the same time")
	text, err := os.ReadFile(p.String())
	require.NoError(t, err)
	require.Equal(t, "edited", string(text))
	require.NoFileExists(t, p.String()+tempSuffix)
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	base := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(base, "pipe"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(base, "large"), make([]byte, maxBytes+1), 0o600))
	_, err := Files{}.Read(Path{Base: base, Rel: "pipe"})
	require.ErrorContains(t, err, "not a regular file")
	_, err = Files{}.Read(Path{Base: base, Rel: "large"})
	require.ErrorContains(t, err, "larger than")
	_, err = Files{}.Read(Path{Base: base, Rel: "large/file"})
	require.ErrorContains(t, err, "not a folder")
}

func TestLockExcludesOthers(t *testing.T) {
	folder := t.TempDir()
	release, err := Lock(folder)
	require.NoError(t, err)
	_, err = Lock(folder)
	require.ErrorIs(t, err, ErrLocked)
	release()
	release, err = Lock(folder)
	require.NoError(t, err)
	release()
}
