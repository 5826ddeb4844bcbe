// Package snapshot stores the last known keys and policy of a proxy on disk, so that it
// can start and serve while the control plane is unavailable. It stores digests of keys,
// never keys, and no records. A snapshot is replaced as a whole or not at all. A change of
// a key is also appended to a change file at once, until the next snapshot contains it:
//
//	keys       the snapshot; its head names the first change file that it lacks
//	changes-7  one line per change since then, each with a checksum
//	policy.json
//
// Damaged files are renamed and never prevent a start. A Dir is the directory, a Keeper
// writes to it while the proxy runs. The proxy's wiring uses the package.
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
	// badSuffix marks a file that could not be read, for later inspection. The next
	// damaged file of the same name replaces it.
	badSuffix = ".bad"

	// keysLimit and policyLimit limit the size of the files in bytes. They are far
	// above normal sizes, and still fit into memory.
	keysLimit   = 64 << 20
	policyLimit = 16 << 20
)

// Dir is the directory of the snapshots. Only AppendChange is safe for concurrent use. If
// several processes share a directory, the last writer wins.
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
	// Another process whose temporary file is removed here writes it again.
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

// loadFile reads a snapshot with decode and reports whether there was a valid one. It renames
// an invalid file, so that the proxy starts without it.
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
