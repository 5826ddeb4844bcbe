package snapshot

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// keysFormat is the format of the snapshot and of the change files. Raise it whenever
// Principal gets a new field. Files in an older format lack the field. If the field
// restricts a key, such a file must not be read as if the key had no restriction.
const keysFormat = 6

// oldestFormat is the oldest format that can still be read. Its files contain every
// restriction that existed when they were written.
const oldestFormat = 3

// sumLength is the length of the last line, the hash of all lines before it.
const sumLength = 2*sha256.Size + 1

// keysHead is the first line of the keys file.
type keysHead struct {
	Format  int   `json:"format"`
	Version int64 `json:"seen"`
	// FirstChangeFile is the number of the first change file that the snapshot does not
	// cover.
	FirstChangeFile uint64 `json:"changes"`
}

// keysLine is one key, on a line of its own.
type keysLine struct {
	Digest    []byte     `json:"digest"`
	Confirmed time.Time  `json:"confirmed"`
	Principal *principal `json:"principal"`
}

// principal is the stored form of keys.Principal.
type principal struct {
	keys.Principal
	// Concurrent is the concurrency limit in oldestFormat. That format has no other limits.
	Concurrent int64 `json:",omitempty"`
}

func toLine(k keys.Known) keysLine {
	line := keysLine{Digest: k.Digest[:], Confirmed: k.Confirmed}
	if k.Principal != nil {
		line.Principal = &principal{Principal: *k.Principal}
	}
	return line
}

// SaveKeys writes a snapshot. Active keys that do not fit into the size limit are left
// out. Revoked keys are written first, so that they are not lost.
func (d *Dir) SaveKeys(s keys.Snapshot) error {
	var written int
	head := keysHead{Format: keysFormat, Version: s.Version, FirstChangeFile: d.changes.number}
	err := replaceFile(filepath.Join(d.path, keysName), func(w io.Writer) (err error) {
		sum := sha256.New()
		written, err = writeKeys(io.MultiWriter(w, sum), head, s.Known, d.limit-sumLength)
		if err == nil {
			_, err = fmt.Fprintf(w, "%x\n", sum.Sum(nil))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("save keys: %w", err)
	}
	d.removeCovered(head.FirstChangeFile)
	if written < len(s.Known) {
		d.log.Warn("snapshot is too large: some keys left out", "kept", written, "known", len(s.Known))
	}
	return nil
}

// writeKeys writes at most limit bytes and returns how many keys it has written.
func writeKeys(w io.Writer, head keysHead, known []keys.Known, limit int64) (int, error) {
	var written int
	left := limit
	size, err := writeLine(w, head, left)
	for _, active := range []bool{false, true} {
		for _, k := range known {
			if k.Principal.Active != active || size == 0 || err != nil {
				continue
			}
			left -= size
			size, err = writeLine(w, toLine(k), left)
			if size > 0 {
				written++
			}
		}
	}
	return written, err
}

// writeLine writes a value as one line if the line has at most maxBytes bytes. It returns the
// length of the line, or 0 if the line is too long.
func writeLine(w io.Writer, v any, maxBytes int64) (int64, error) {
	line, err := json.Marshal(v)
	if err != nil || int64(len(line)) >= maxBytes {
		return 0, err
	}
	_, err = w.Write(append(line, '\n'))
	return int64(len(line)) + 1, err
}

// LoadKeys returns the stored keys with all later changes, and whether a snapshot was
// found. If the changes cannot be read, the snapshot is not used either.
func (d *Dir) LoadKeys() (keys.Snapshot, bool) {
	var s keys.Snapshot
	found := d.loadFile(keysName, keysLimit, func(data []byte) (err error) {
		var since uint64
		if s, since, err = decodeKeys(data); err != nil {
			return err
		}
		return d.replayChanges(&s, since)
	})
	return s, found
}
