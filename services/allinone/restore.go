package allinone

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Restore makes a data directory out of an archive of Backup. There must be
// none yet, or an empty one. Everything is unpacked beside it and checked
// against the manifest first: the directory appears whole or not at all.
func Restore(from io.Reader, data string) (err error) {
	data, err = filepath.Abs(data)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(data); err == nil && len(entries) > 0 {
		return fmt.Errorf("the data directory %s is not empty: name another one with --data, or move it away", data)
	}
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		return fmt.Errorf("cannot make the data directory: %w", bare(err))
	}
	unpacked, done, err := scratch(filepath.Dir(data), "."+filepath.Base(data)+"-restore-")
	if err != nil {
		return fmt.Errorf("cannot make the data directory: %w", bare(err))
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := unpack(from, unpacked); err != nil {
		return err
	}
	// By which it is known for a data directory before it has run.
	if err := os.WriteFile(filepath.Join(unpacked, lockName), nil, 0o600); err != nil {
		return fmt.Errorf("cannot make the data directory: %w", bare(err))
	}
	if err := os.Remove(data); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot replace the data directory: %w", bare(err))
	}
	if err := os.Rename(unpacked, data); err != nil {
		return fmt.Errorf("cannot put the data directory in place: %w", err)
	}
	return syncPath(filepath.Dir(data))
}

var errArchive = errors.New("this is not a whole archive of signalbox backup")

// unpack writes the files and compares them with the manifest, which is the
// last entry: an archive that was cut off has none.
func unpack(from io.Reader, dir string) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("%w: %w", errArchive, err)
	}
	var found []backupFile
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errArchive, err)
		}
		if head.Name == manifestName {
			return check(archive, found)
		}
		file, err := unpackFile(archive, dir, head)
		if err != nil {
			return err
		}
		found = append(found, file)
	}
}

func unpackFile(from io.Reader, dir string, head *tar.Header) (backupFile, error) {
	if head.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(head.Name)) {
		return backupFile{}, fmt.Errorf("%w: it holds %q", errArchive, head.Name)
	}
	path := filepath.Join(dir, filepath.FromSlash(head.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return backupFile{}, fmt.Errorf("restore: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return backupFile{}, fmt.Errorf("restore: %w", err)
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), from)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return backupFile{}, fmt.Errorf("restore %s: %w", head.Name, err)
	}
	return backupFile{head.Name, n, hex.EncodeToString(sum.Sum(nil))}, nil
}

func check(text io.Reader, found []backupFile) error {
	var m manifest
	if err := json.NewDecoder(text).Decode(&m); err != nil {
		return fmt.Errorf("%w: its manifest cannot be read: %w", errArchive, err)
	}
	if m.Form != backupForm {
		return fmt.Errorf("the archive is of form %d, of signalbox %s; this one reads form %d", m.Form, m.Version, backupForm)
	}
	for i, want := range m.Files {
		if i >= len(found) || found[i] != want {
			return fmt.Errorf("%w: %s is not as it was", errArchive, want.Name)
		}
	}
	if !slices.Equal(found, m.Files) {
		return fmt.Errorf("%w: it holds %s, which its manifest does not name", errArchive, found[len(m.Files)].Name)
	}
	return nil
}

// syncPath makes a name survive a power failure.
func syncPath(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
