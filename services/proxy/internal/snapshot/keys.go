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

// keysFormat is that of the snapshot and of changes of it. It is raised whenever
// a principal gets a field: an older file says nothing of it, and a restriction
// must not be taken for absent because of that. oldestFormat is still read: of
// limits it has all that were kept when it was written.
const (
	keysFormat   = 4
	oldestFormat = 3
)

// sumLength is that of the last line, the hash of all lines before it.
const sumLength = 2*sha256.Size + 1

// keysHead is the first line of the file.
type keysHead struct {
	Format int   `json:"format"`
	Seen   int64 `json:"seen"`
	// Changes is the number of the first file of changes that are not in here.
	Changes uint64 `json:"changes"`
}

// keysLine is one of those that follow.
type keysLine struct {
	Digest    []byte     `json:"digest"`
	Confirmed time.Time  `json:"confirmed"`
	Principal *principal `json:"principal"`
}

// principal is one in a file.
type principal struct {
	keys.Principal
	// Concurrent is the only limit that the oldest format has.
	Concurrent int64 `json:",omitempty"`
}

func lineOf(k keys.Known) keysLine {
	line := keysLine{Digest: k.Digest[:], Confirmed: k.Confirmed}
	if k.Principal != nil {
		line.Principal = &principal{Principal: *k.Principal}
	}
	return line
}

// SaveKeys keeps what is known of keys. What does not fit is left out; revoked
// keys come first, so that they are not.
func (d *Dir) SaveKeys(s keys.Snapshot) error {
	var kept int
	head := keysHead{Format: keysFormat, Seen: s.Seen, Changes: d.changes.number}
	err := replace(filepath.Join(d.path, keysName), func(w io.Writer) (err error) {
		sum := sha256.New()
		kept, err = writeKeys(io.MultiWriter(w, sum), head, s.Known, d.limit-sumLength)
		if err == nil {
			_, err = fmt.Fprintf(w, "%x\n", sum.Sum(nil))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("save keys: %w", err)
	}
	d.covered(head.Changes)
	if kept < len(s.Known) {
		d.log.Warn("not all keys have room in the snapshot", "kept", kept, "known", len(s.Known))
	}
	return nil
}

// writeKeys returns how many keys it has written.
func writeKeys(w io.Writer, head keysHead, known []keys.Known, room int64) (int, error) {
	var kept int
	size, err := writeLine(w, head, room)
	for _, active := range []bool{false, true} {
		for _, k := range known {
			if k.Principal.Active != active || size == 0 || err != nil {
				continue
			}
			room -= size
			size, err = writeLine(w, lineOf(k), room)
			if size > 0 {
				kept++
			}
		}
	}
	return kept, err
}

// writeLine returns the length of the line, which is 0 if there is no room.
func writeLine(w io.Writer, v any, room int64) (int64, error) {
	line, err := json.Marshal(v)
	if err != nil || int64(len(line)) >= room {
		return 0, err
	}
	_, err = w.Write(append(line, '\n'))
	return int64(len(line)) + 1, err
}

// Keys returns what was known of keys, and whether anything was. Without what
// has changed since the snapshot, nothing is.
func (d *Dir) Keys() (keys.Snapshot, bool) {
	var s keys.Snapshot
	found := d.load(keysName, keysLimit, func(data []byte) (err error) {
		var since uint64
		if s, since, err = decodeKeys(data); err != nil {
			return err
		}
		return d.recall(&s, since)
	})
	return s, found
}
