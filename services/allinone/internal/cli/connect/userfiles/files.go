package userfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	modeFolder = 0o700
	// ModeSecret is the mode of a file that contains a key.
	ModeSecret fs.FileMode = 0o600
	// maxBytes limits the size of a settings file, which is read into memory.
	maxBytes = 4 << 20
	// tempSuffix ends the name of the file that is renamed. It is always the same, so that
	// the next run finds and removes the file of a run that was killed.
	tempSuffix = ".signalbox-tmp"
)

// Content is a file as it was read.
type Content struct {
	Exists bool
	Data   []byte
	Mode   fs.FileMode
}

// Files reads and replaces files. The zero value is ready to use.
type Files struct {
	// Checkpoint, if set, is called after every step that changes something on disk.
	Checkpoint func(step string)
}

func (f Files) reached(step string) {
	if f.Checkpoint != nil {
		f.Checkpoint(step)
	}
}

// Read returns a file. A missing file or folder is no error.
func (f Files) Read(p Path) (Content, error) {
	folder, err := p.openFolder(false)
	if errors.Is(err, fs.ErrNotExist) {
		return Content{}, nil
	}
	if err != nil {
		return Content{}, err
	}
	defer func() { _ = folder.Close() }()
	return readIn(folder, p)
}

func readIn(folder *os.Root, p Path) (Content, error) {
	name := filepath.Base(p.Rel)
	checked, err := folder.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Content{}, nil
	case err != nil:
		return Content{}, err
	case checked.Mode()&fs.ModeSymlink != 0:
		return Content{}, linkError(p.String())
	case !checked.Mode().IsRegular():
		return Content{}, fmt.Errorf("%s is not a regular file", p)
	case checked.Size() > maxBytes:
		return Content{}, fmt.Errorf("%s is larger than %d MiB", p, maxBytes>>20)
	}
	// Without O_NONBLOCK, a pipe that took the place of the file would block the open.
	file, err := folder.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Content{}, err
	}
	defer func() { _ = file.Close() }()
	if opened, err := file.Stat(); err != nil || !os.SameFile(checked, opened) {
		return Content{}, errors.Join(err, changedError(p))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxBytes))
	return Content{Exists: true, Data: data, Mode: checked.Mode().Perm()}, err
}

func changedError(p Path) error {
	return fmt.Errorf("%s was changed by another program at the same time; run the command again", p)
}

// Replace writes a file in one step and creates its folder. It fails if the file is not as
// it was read, or if Clean has something to remove.
func (f Files) Replace(p Path, read Content, data []byte, mode fs.FileMode) error {
	folder, err := p.openFolder(true)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	f.reached("create the folder of " + p.String())
	name := filepath.Base(p.Rel)
	if err := writeTemp(folder, name+tempSuffix, data, mode); err != nil {
		_ = folder.Remove(name + tempSuffix)
		return fmt.Errorf("write %s: %w", p, err)
	}
	f.reached("write beside " + p.String())
	if err := checkUnchanged(folder, p, read); err != nil {
		return errors.Join(err, folder.Remove(name+tempSuffix))
	}
	if err := folder.Rename(name+tempSuffix, name); err != nil {
		return err
	}
	f.reached("rename to " + p.String())
	return syncFolder(folder)
}

// Remove removes a file. It fails if the file is not as it was read.
func (f Files) Remove(p Path, read Content) error {
	folder, err := p.openFolder(false)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	if err := checkUnchanged(folder, p, read); err != nil {
		return err
	}
	if err := folder.Remove(filepath.Base(p.Rel)); err != nil {
		return err
	}
	f.reached("remove " + p.String())
	return syncFolder(folder)
}

// Clean removes what a run that was killed left beside the file.
func (f Files) Clean(p Path) {
	if folder, err := p.openFolder(false); err == nil {
		_ = folder.Remove(filepath.Base(p.Rel) + tempSuffix)
		_ = folder.Close()
	}
}

func checkUnchanged(folder *os.Root, p Path, read Content) error {
	now, err := readIn(folder, p)
	if err == nil && (now.Exists != read.Exists || !bytes.Equal(now.Data, read.Data)) {
		err = changedError(p)
	}
	return err
}

func writeTemp(folder *os.Root, name string, data []byte, mode fs.FileMode) error {
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ModeSecret)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
}

// syncFolder makes a rename survive a power failure.
func syncFolder(folder *os.Root) error {
	dir, err := folder.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
