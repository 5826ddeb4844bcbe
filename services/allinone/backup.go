package allinone

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/sqldb"
	"github.com/signalbox/signalbox/services/allinone/internal/sessionstore"
)

// backupFormat is the version of the archive layout.
const backupFormat = 1

// manifestFile is the last entry of an archive. An archive without it is incomplete.
const manifestFile = "manifest.json"

// manifest lists the files of an archive with their sizes and checksums.
type manifest struct {
	Format  int          `json:"form"`
	Version string       `json:"version"`
	Taken   time.Time    `json:"taken"`
	Files   []backupFile `json:"files"`
}

type backupFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Backup writes the complete state of a data directory into one archive. It writes
// the name and size of each file to progress. It also works while a process uses the
// directory. Like the directory, the archive contains secrets.
//
// The archive contains every record that existed when Backup started, either in the
// spool or in the ledger. The spool holds records that are not in the ledger yet, and
// Backup copies it first. A record that leaves the spool after that is already in the
// ledger. A record in both is stored only once after a restore.
func Backup(ctx context.Context, data, version string, to io.Writer, progress io.Writer) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if _, err := os.Stat(filepath.Join(data, lockFile)); err != nil {
		return fmt.Errorf("%s is not the data directory of a signalbox: %w", data, withoutPath(err))
	}
	copies, done, err := createLockedTempDir(data, ".backup-")
	if err != nil {
		return fmt.Errorf("cannot write to the data directory %s: %w", data, withoutPath(err))
	}
	defer func() { _ = done() }()
	gz, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	b := &backupWriter{
		data: data, copies: copies, progress: progress, tar: tar.NewWriter(gz),
		manifest: manifest{Format: backupFormat, Version: version, Taken: time.Now().UTC()},
	}
	return errors.Join(b.writeArchive(ctx), b.tar.Close(), gz.Close())
}

type backupWriter struct {
	data string
	// copies is the temporary directory for snapshots of the stores.
	copies   string
	progress io.Writer
	tar      *tar.Writer
	manifest manifest
}

func (b *backupWriter) writeArchive(ctx context.Context) error {
	if err := b.addSpool(ctx); err != nil {
		return err
	}
	for _, name := range []string{"records.db", "policy.db", "keyauth.db", sessionstore.FileName} {
		if err := b.addStore(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range []string{"pepper", "alert-key"} {
		if err := b.addFile(name, filepath.Join(b.data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.tarHeader(manifestFile, int64(len(text)))); err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return err
}

// addSpool copies all files of the spool. A file that disappears during the copy is no longer needed, because its
// records are in the ledger.
func (b *backupWriter) addSpool(ctx context.Context) error {
	root := filepath.Join(b.data, "spool")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" {
			var name string
			if name, err = filepath.Rel(b.data, path); err == nil {
				err = b.addFile(filepath.ToSlash(name), path)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return fmt.Errorf("copy the spool: %w", err)
	}
	return nil
}

func (b *backupWriter) addStore(ctx context.Context, name string) error {
	copied := filepath.Join(b.copies, name)
	err := sqldb.Snapshot(ctx, filepath.Join(b.data, name), copied)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first start has not created this store yet
	}
	if err != nil {
		return err
	}
	if err := b.addFile(name, copied); err != nil {
		return err
	}
	return os.Remove(copied)
}

// addFile archives a file up to the size that it has now, because a file of the spool
// may grow during the copy.
func (b *backupWriter) addFile(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.tarHeader(name, info.Size())); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(b.tar, sum), f, info.Size()); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	b.manifest.Files = append(b.manifest.Files, backupFile{name, info.Size(), hex.EncodeToString(sum.Sum(nil))})
	_, _ = fmt.Fprintf(b.progress, "  %-60s %12d bytes\n", shortenSpoolPath(name), info.Size())
	return nil
}

func (b *backupWriter) tarHeader(name string, size int64) *tar.Header {
	return &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: b.manifest.Taken, Format: tar.FormatPAX}
}

// shortenSpoolPath replaces the id of the proxy in the path of a spool file with two dots.
func shortenSpoolPath(name string) string {
	if parts := strings.Split(name, "/"); len(parts) == 3 {
		return parts[0] + "/../" + parts[2]
	}
	return name
}
