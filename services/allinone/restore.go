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

// Restore creates a data directory from an archive that Backup wrote. The directory
// must not exist or must be empty. Restore unpacks into a temporary directory, checks
// every file against the manifest and then renames the directory. So the data
// directory appears complete or not at all.
func Restore(from io.Reader, data string) (err error) {
	data, err = filepath.Abs(data)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(data); err == nil && len(entries) > 0 {
		return fmt.Errorf("the data directory %s is not empty: move it, or use --data to choose another directory", data)
	}
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		return fmt.Errorf("cannot create the data directory %s: %w", data, withoutPath(err))
	}
	unpacked, done, err := createLockedTempDir(filepath.Dir(data), "."+filepath.Base(data)+"-restore-")
	if err != nil {
		return fmt.Errorf("cannot create the data directory %s: %w", data, withoutPath(err))
	}
	defer func() { err = errors.Join(err, done()) }()
	if err := unpackArchive(from, unpacked); err != nil {
		return err
	}
	// Backup recognizes a data directory by this file.
	if err := os.WriteFile(filepath.Join(unpacked, lockFile), nil, 0o600); err != nil {
		return fmt.Errorf("cannot create the data directory %s: %w", data, withoutPath(err))
	}
	if err := os.Remove(data); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot replace the data directory %s: %w", data, withoutPath(err))
	}
	if err := os.Rename(unpacked, data); err != nil {
		return fmt.Errorf("cannot move the restored files to the data directory: %w", err)
	}
	return syncDir(filepath.Dir(data))
}

var errInvalidArchive = errors.New("the file is not a complete archive written by signalbox backup")

// unpackArchive writes the files and compares them with the manifest. The manifest is
// the last entry, so an incomplete archive causes an error.
func unpackArchive(from io.Reader, dir string) error {
	zip, err := gzip.NewReader(from)
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalidArchive, err)
	}
	var found []backupFile
	for archive := tar.NewReader(zip); ; {
		head, err := archive.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errInvalidArchive, err)
		}
		if head.Name == manifestFile {
			return verifyManifest(archive, found)
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
		return backupFile{}, fmt.Errorf("%w: unexpected entry %q", errInvalidArchive, head.Name)
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

func verifyManifest(text io.Reader, found []backupFile) error {
	var m manifest
	if err := json.NewDecoder(text).Decode(&m); err != nil {
		return fmt.Errorf("%w: read manifest: %w", errInvalidArchive, err)
	}
	if m.Format != backupFormat {
		return fmt.Errorf("signalbox %[2]s wrote the archive in format %[1]d, but this version reads only format %[3]d; restore it with version %[2]s", m.Format, m.Version, backupFormat)
	}
	for i, want := range m.Files {
		if i >= len(found) || found[i] != want {
			return fmt.Errorf("%w: the checksum of %s does not match", errInvalidArchive, want.Name)
		}
	}
	if !slices.Equal(found, m.Files) {
		return fmt.Errorf("%w: the manifest does not list %s", errInvalidArchive, found[len(m.Files)].Name)
	}
	return nil
}

// syncDir makes sure that a rename in dir survives a power failure.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
