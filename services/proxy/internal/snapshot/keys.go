package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

// keysFormat is raised whenever a principal gets a field: an older file says
// nothing of it, and a restriction must not be taken for absent because of
// that.
const keysFormat = 2

// sumLength is that of the last line, the hash of all lines before it.
const sumLength = 2*sha256.Size + 1

// keysHead is the first line of the file.
type keysHead struct {
	Format int   `json:"format"`
	Seen   int64 `json:"seen"`
}

// keysLine is one of those that follow.
type keysLine struct {
	Digest    []byte          `json:"digest"`
	Confirmed time.Time       `json:"confirmed"`
	Principal *keys.Principal `json:"principal"`
}

// SaveKeys keeps what is known of keys. What does not fit is left out; revoked
// keys come first, so that they are not.
func (d *Dir) SaveKeys(s keys.Snapshot) error {
	var kept int
	err := replace(filepath.Join(d.path, keysName), func(w io.Writer) (err error) {
		sum := sha256.New()
		kept, err = writeKeys(io.MultiWriter(w, sum), s, d.limit-sumLength)
		if err == nil {
			_, err = fmt.Fprintf(w, "%x\n", sum.Sum(nil))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("save keys: %w", err)
	}
	if kept < len(s.Known) {
		d.log.Warn("not all keys have room in the snapshot", "kept", kept, "known", len(s.Known))
	}
	return nil
}

// writeKeys returns how many keys it has written.
func writeKeys(w io.Writer, s keys.Snapshot, room int64) (int, error) {
	var kept int
	size, err := writeLine(w, keysHead{Format: keysFormat, Seen: s.Seen}, room)
	for _, active := range []bool{false, true} {
		for _, k := range s.Known {
			if k.Principal.Active != active || size == 0 || err != nil {
				continue
			}
			room -= size
			size, err = writeLine(w, keysLine{Digest: k.Digest[:], Confirmed: k.Confirmed, Principal: k.Principal}, room)
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

// Keys returns what was known of keys, and whether anything was. Without the
// list of those that were revoked last, nothing is.
func (d *Dir) Keys() (keys.Snapshot, bool) {
	var s keys.Snapshot
	found := d.load(keysName, keysLimit, func(data []byte) (err error) {
		if s, err = decodeKeys(data); err != nil {
			return err
		}
		return d.recall(s)
	})
	return s, found
}

var errSum = errors.New("the check sum is wrong")

func decodeKeys(data []byte) (keys.Snapshot, error) {
	var s keys.Snapshot
	end := len(data) - sumLength
	if end < 0 {
		return s, errSum
	}
	sum := sha256.Sum256(data[:end])
	if string(data[end:]) != hex.EncodeToString(sum[:])+"\n" {
		return s, errSum
	}
	lines := json.NewDecoder(bytes.NewReader(data[:end]))
	var head keysHead
	if err := lines.Decode(&head); err != nil {
		return s, err
	}
	if head.Format != keysFormat {
		return s, fmt.Errorf("format %d, this build reads %d", head.Format, keysFormat)
	}
	s.Seen = head.Seen
	for lines.More() {
		k, err := decodeKnown(lines)
		if err != nil {
			return keys.Snapshot{}, err
		}
		s.Known = append(s.Known, k)
	}
	return s, nil
}

func decodeKnown(lines *json.Decoder) (keys.Known, error) {
	var line keysLine
	if err := lines.Decode(&line); err != nil {
		return keys.Known{}, err
	}
	if len(line.Digest) != len(apikey.Digest{}) || line.Principal == nil {
		return keys.Known{}, errors.New("a line is not of a key")
	}
	return keys.Known{Digest: apikey.Digest(line.Digest), Principal: line.Principal, Confirmed: line.Confirmed}, nil
}
