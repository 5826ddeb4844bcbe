// Package snapshot keeps on disk what a proxy last knew to be good, the keys
// and the policy, so that it can start and serve while the services that know
// better are down. It holds digests of keys, never keys, and no record of any
// request. A snapshot is replaced as a whole or not at all; what a key becomes
// until the next one is appended to a file beside it, before anything else can
// happen. What is damaged is set aside and never stops a start. The proxy's
// wiring uses it.
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
	// badSuffix marks a file that could not be read, for whoever wants to know
	// why; the next one like it replaces it.
	badSuffix = ".bad"

	// keysLimit and policyLimit bound what is written and read: far more than
	// is ever needed, and no trouble for the memory.
	keysLimit   = 64 << 20
	policyLimit = 16 << 20
)

// Dir is the directory of the snapshots. But for Changed its methods are not for
// concurrent use; several processes may share a directory, and the last writer
// wins.
type Dir struct {
	path    string
	log     *slog.Logger
	limit   int64
	changes changes
}

// Open makes the directory if need be, and removes what a killed process has
// left half written.
func Open(path string, log *slog.Logger) (*Dir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	// Another process that loses its file here writes it again.
	left, err := filepath.Glob(filepath.Join(path, tempPattern))
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	for _, name := range left {
		_ = os.Remove(name)
	}
	d := &Dir{path: path, log: log, limit: keysLimit, changes: changes{number: 1, limit: changesLimit}}
	numbers, err := d.numbers()
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	if len(numbers) > 0 {
		d.changes.number = numbers[len(numbers)-1] + 1
	}
	return d, nil
}

// load reads a snapshot with decode, and reports whether there was one. A file
// that cannot be used is set aside: a start goes on without it.
func (d *Dir) load(name string, limit int64, decode func([]byte) error) bool {
	path := filepath.Join(d.path, name)
	data, err := read(path, limit)
	if err == nil {
		err = decode(data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		d.log.Error("a snapshot cannot be used and is set aside", "snapshot", name, "error", errors.Join(err, os.Rename(path, path+badSuffix)))
	}
	return err == nil
}
