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
)

// backupForm is the version of what an archive holds.
const backupForm = 1

// manifestName is the archive's last entry: it says what came before.
const manifestName = "manifest.json"

// manifest lists the archive's files.
type manifest struct {
	Form    int          `json:"form"`
	Version string       `json:"version"`
	Taken   time.Time    `json:"taken"`
	Files   []backupFile `json:"files"`
}

type backupFile struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Backup writes all state of a data directory into one archive, whether or not
// a process is running on it, and says on progress how far it is. The archive
// holds secrets, as the directory does.
//
// The spool goes first and the ledger after it: a record that leaves the spool
// meanwhile has reached the ledger, and one that is in both is stored once. So
// everything that was recorded when Backup began is in the archive.
func Backup(ctx context.Context, data, version string, to io.Writer, progress io.Writer) error {
	data, err := filepath.Abs(data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if _, err := os.Stat(filepath.Join(data, lockName)); err != nil {
		return fmt.Errorf("%s is not the data directory of a signalbox: %w", data, bare(err))
	}
	copies, done, err := scratch(data, ".backup-")
	if err != nil {
		return fmt.Errorf("cannot write to the data directory: %w", bare(err))
	}
	defer func() { _ = done() }()
	zip, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return err
	}
	b := &backup{
		data: data, copies: copies, progress: progress, tar: tar.NewWriter(zip),
		manifest: manifest{Form: backupForm, Version: version, Taken: time.Now().UTC()},
	}
	return errors.Join(b.write(ctx), b.tar.Close(), zip.Close())
}

type backup struct {
	data string
	// copies is where the stores are copied to.
	copies   string
	progress io.Writer
	tar      *tar.Writer
	manifest manifest
}

func (b *backup) write(ctx context.Context) error {
	if err := b.spool(ctx); err != nil {
		return err
	}
	for _, name := range []string{"records.db", "policy.db", "keyauth.db"} {
		if err := b.store(ctx, name); err != nil {
			return err
		}
	}
	if err := b.add("pepper", filepath.Join(b.data, "pepper")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.header(manifestName, int64(len(text)))); err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return err
}

// spool copies every segment. One that goes away meanwhile has been stored.
func (b *backup) spool(ctx context.Context) error {
	root := filepath.Join(b.data, "spool")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" {
			var name string
			if name, err = filepath.Rel(b.data, path); err == nil {
				err = b.add(filepath.ToSlash(name), path)
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

func (b *backup) store(ctx context.Context, name string) error {
	copied := filepath.Join(b.copies, name)
	err := sqldb.Snapshot(ctx, filepath.Join(b.data, name), copied)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a directory that never ran far enough to have it
	}
	if err != nil {
		return err
	}
	if err := b.add(name, copied); err != nil {
		return err
	}
	return os.Remove(copied)
}

// add puts into the archive as much of a file as there is now: a segment may
// grow meanwhile.
func (b *backup) add(name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.header(name, info.Size())); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(b.tar, sum), f, info.Size()); err != nil {
		return fmt.Errorf("copy %s: %w", name, err)
	}
	b.manifest.Files = append(b.manifest.Files, backupFile{name, info.Size(), hex.EncodeToString(sum.Sum(nil))})
	_, _ = fmt.Fprintf(b.progress, "  %-60s %12d bytes\n", shorten(name), info.Size())
	return nil
}

func (b *backup) header(name string, size int64) *tar.Header {
	return &tar.Header{Name: name, Size: size, Mode: 0o600, ModTime: b.manifest.Taken, Format: tar.FormatPAX}
}

// shorten leaves out a producer's long name.
func shorten(name string) string {
	if parts := strings.Split(name, "/"); len(parts) == 3 {
		return parts[0] + "/../" + parts[2]
	}
	return name
}
