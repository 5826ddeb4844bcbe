// Package snapshot stores the last known keys, policy and drains of a proxy on disk, so that the
// proxy can start and serve requests while the control plane is unavailable. It stores
// digests of keys, never the keys themselves, and no records. A snapshot is replaced as a
// whole or not at all. In addition, each change of a key is appended to a change file at
// once. The change file is used until the next snapshot contains the change:
//
//	keys       the snapshot; its first line has the number of the first change file to apply
//	changes-7  one line per change since the snapshot, each with a checksum
//	policy.json
//	drains.json
//
// A damaged snapshot is renamed and ignored, so it never prevents a start. A damaged change
// file also makes the snapshot of the keys unusable, because a lost change may be a
// revocation. A Dir is the directory. A Keeper writes to it while the proxy runs. Package
// proxy uses this package.
package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

const (
	keysName   = "keys"
	policyName = "policy.json"
	drainsName = "drains.json"
	// badSuffix is appended to the name of a file that could not be read, so that an
	// operator can inspect it. The next damaged file of the same name replaces it.
	badSuffix = ".bad"

	// keysLimit, policyLimit and drainsLimit limit the size of the files in bytes. They are far above
	// normal sizes, but files of this size still fit into memory.
	keysLimit   = 64 << 20
	policyLimit = 16 << 20
	drainsLimit = 1 << 20
)

// Dir is the directory of the snapshots. Of its methods, only AppendChange is safe for
// concurrent use. If several processes share a directory, the last writer wins.
type Dir struct {
	path    string
	log     *slog.Logger
	limit   int64
	changes changeLog
}

// Open creates the directory if necessary and removes temporary files that a killed process
// has left.
func Open(path string, log *slog.Logger) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("create snapshot directory: %w", err)
	}
	// If another process is writing such a file now, its write fails and it retries.
	left, err := filepath.Glob(filepath.Join(path, tempPattern))
	if err != nil {
		return nil, fmt.Errorf("list temporary files: %w", err)
	}
	for _, name := range left {
		_ = os.Remove(name)
	}
	d := &Dir{path: path, log: log, limit: keysLimit, changes: changeLog{number: 1, limit: changesLimit}}
	numbers, err := d.listNumbers()
	if err != nil {
		return nil, fmt.Errorf("list change files: %w", err)
	}
	if len(numbers) > 0 {
		d.changes.number = numbers[len(numbers)-1] + 1
	}
	return d, nil
}

// loadFile reads a file, decodes it, and reports whether that succeeded. It renames an
// invalid file, so that the proxy starts without it.
func (d *Dir) loadFile(name string, limit int64, decode func([]byte) error) bool {
	path := filepath.Join(d.path, name)
	data, err := readFile(path, limit)
	if err == nil {
		err = decode(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		d.log.Error("snapshot is invalid: renamed and ignored", "snapshot", name, "error", errors.Join(err, os.Rename(path, path+badSuffix)))
	}
	return err == nil
}
