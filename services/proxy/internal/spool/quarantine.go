package spool

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/signalbox/signalbox/services/proxy/internal/spool/segment"
)

const (
	quarantineDirName  = "quarantine"
	maxQuarantineBytes = 64 << 20
)

// quarantine stores data that recovery could not use, so that an operator can
// inspect it. Its directory is next to the producers' directories, because a
// producer's directory is deleted once its records are shipped.
type quarantine struct {
	dir string
	log *slog.Logger
}

// storeDamage stores the bytes of a segment that are not frames. It logs them only
// when it first stores them, although recovery may read the segment several times.
func (q quarantine) storeDamage(producer string, file segment.File, data []byte, bad []segment.Span) {
	if len(bad) == 0 {
		return
	}
	var bytes []byte
	for _, b := range bad {
		bytes = append(bytes, data[b.From:b.To]...)
	}
	name := producer + "-" + filepath.Base(file.Path) + ".bad"
	fresh, err := q.storeFile(name, bytes)
	if fresh || err != nil {
		q.log.Error("spool segment is damaged", "file", name, "ranges", len(bad),
			"bytes", len(bytes), "first_offset", bad[0].From, "store_error", err)
	}
}

// storeStart stores a START from which Recover could not build a record.
func (q quarantine) storeStart(producer string, id [16]byte, payload []byte, cause error) error {
	name := producer + "-" + hex.EncodeToString(id[:]) + ".start"
	if _, err := q.storeFile(name, payload); err != nil {
		return err
	}
	q.log.Error("cannot build the record of an aborted request", "file", name, "error", cause)
	return nil
}

// storeFile writes a file and reports whether it is new.
func (q quarantine) storeFile(name string, data []byte) (fresh bool, err error) {
	path := filepath.Join(q.dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return false, nil
	}
	if err := os.MkdirAll(q.dir, 0o700); err != nil {
		return false, err
	}
	if used := q.usedBytes(); used+int64(len(data)) > maxQuarantineBytes {
		return false, fmt.Errorf("quarantine is full: %d bytes", used)
	}
	return true, os.WriteFile(path, data, 0o600)
}

func (q quarantine) usedBytes() int64 {
	entries, err := os.ReadDir(q.dir)
	if err != nil {
		return 0
	}
	sum := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
	}
	return sum
}
