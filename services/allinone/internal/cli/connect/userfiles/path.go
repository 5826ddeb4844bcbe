package userfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Path is a file. Base may be reached over symbolic links. Rel, the path below it, may not
// contain one.
type Path struct {
	Base string `json:"base"`
	Rel  string `json:"rel"`
}

// String returns the whole path.
func (p Path) String() string { return filepath.Join(p.Base, p.Rel) }

// folders returns the names of the folders between Base and the file.
func (p Path) folders() []string {
	if dir := filepath.Dir(p.Rel); dir != "." {
		return strings.Split(dir, string(filepath.Separator))
	}
	return nil
}

// openFolder opens the folder of the file. If create is set, it creates missing folders.
func (p Path) openFolder(create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(p.Base, modeFolder); err != nil {
			return nil, err
		}
	}
	folder, err := os.OpenRoot(p.Base)
	if err != nil {
		return nil, err
	}
	path := p.Base
	for _, name := range p.folders() {
		path = filepath.Join(path, name)
		child, err := enterFolder(folder, name, path, create)
		_ = folder.Close()
		if err != nil {
			return nil, err
		}
		folder = child
	}
	return folder, nil
}

func enterFolder(parent *os.Root, name, path string, create bool) (*os.Root, error) {
	if create {
		if err := parent.Mkdir(name, modeFolder); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	checked, err := parent.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case checked.Mode()&fs.ModeSymlink != 0:
		return nil, linkError(path)
	case !checked.IsDir():
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	child, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := child.Stat(".")
	if err != nil || !os.SameFile(checked, opened) {
		_ = child.Close()
		return nil, errors.Join(err, fmt.Errorf("%s was replaced while it was opened; nothing was changed there", path))
	}
	return child, nil
}

func linkError(path string) error {
	return fmt.Errorf("%s is a symbolic link, and links are not followed: replace it by what it points to, or set the client up by hand", path)
}

// MissingFolders lists the folders that have to be created for the file, outermost first.
func (p Path) MissingFolders() []string {
	var missing []string
	for dir := filepath.Dir(p.String()); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return missing
		}
		missing = append([]string{dir}, missing...)
	}
}

// RemoveEmptyFolders removes the folders that are empty, innermost first. A folder that is
// not empty, or not there, stays as it is.
func RemoveEmptyFolders(folders []string) {
	for i := len(folders) - 1; i >= 0; i-- {
		_ = os.Remove(folders[i])
	}
}
