package segment

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ReadAndSync returns the content of a file after a sync, because the process that
// wrote the file may have died before its last sync.
func ReadAndSync(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// WriteAndSync writes a file and syncs it. It removes the file if that fails.
func WriteAndSync(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// RemoveStaleCopies removes the copies that a dead process left without renaming
// them.
func RemoveStaleCopies(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix+CopySuffix) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// SyncDir syncs a directory, so that created and renamed files survive a power
// failure.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
