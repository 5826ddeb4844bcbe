package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/signalbox/signalbox/pkg/apikey"
	"github.com/signalbox/signalbox/services/proxy/internal/keys"
)

var (
	errChecksum = errors.New("the checksum is wrong")
	errLine     = errors.New("a line does not describe a key")
)

func formatError(format int) error {
	return fmt.Errorf("format %d is not supported: this version reads %d to %d", format, oldestFormat, keysFormat)
}

func isReadableFormat(format int) bool { return oldestFormat <= format && format <= keysFormat }

// decodeKeys decodes a snapshot. It also returns the number of the first change file to
// apply.
func decodeKeys(data []byte) (keys.Snapshot, uint64, error) {
	end := len(data) - sumLength
	if end < 0 {
		return keys.Snapshot{}, 0, errChecksum
	}
	sum := sha256.Sum256(data[:end])
	if string(data[end:]) != hex.EncodeToString(sum[:])+"\n" {
		return keys.Snapshot{}, 0, errChecksum
	}
	lines := json.NewDecoder(bytes.NewReader(data[:end]))
	var head keysHead
	if err := lines.Decode(&head); err != nil {
		return keys.Snapshot{}, 0, err
	}
	if !isReadableFormat(head.Format) {
		return keys.Snapshot{}, 0, formatError(head.Format)
	}
	known, err := decodeLines(lines)
	return keys.Snapshot{Version: head.Version, Known: known}, head.FirstChangeFile, err
}

func decodeLines(lines *json.Decoder) ([]keys.Known, error) {
	var list []keys.Known
	for lines.More() {
		var line keysLine
		if err := lines.Decode(&line); err != nil {
			return nil, err
		}
		k, err := line.toKnown()
		if err == nil && k.Principal == nil {
			err = errLine
		}
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

func (l *keysLine) toKnown() (keys.Known, error) {
	if len(l.Digest) != len(apikey.Digest{}) {
		return keys.Known{}, errLine
	}
	k := keys.Known{Digest: apikey.Digest(l.Digest), Confirmed: l.Confirmed}
	if p := l.Principal; p != nil {
		k.Principal = &p.Principal
		k.Principal.Limits.Concurrent = max(p.Concurrent, p.Limits.Concurrent)
	}
	return k, nil
}

// decodeChanges appends the changes of a file to the list. It ignores an incomplete last
// line, which a killed process leaves.
func decodeChanges(list []keys.Known, data []byte) ([]keys.Known, error) {
	for line := range bytes.Lines(data) {
		if line[len(line)-1] != '\n' {
			break
		}
		k, err := decodeChange(line[:len(line)-1])
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}

func decodeChange(line []byte) (keys.Known, error) {
	sum, body, _ := bytes.Cut(line, []byte(" "))
	if string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) {
		return keys.Known{}, errChecksum
	}
	var change changeLine
	if err := json.Unmarshal(body, &change); err != nil {
		return keys.Known{}, err
	}
	if !isReadableFormat(change.Format) {
		return keys.Known{}, formatError(change.Format)
	}
	return change.toKnown()
}
