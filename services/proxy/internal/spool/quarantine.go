package spool

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
)

const (
	quarantineName  = "quarantine"
	quarantineBytes = 64 << 20
)

// quarantine keeps, for a person to look at, what recovery could not use. It
// is beside the producers' directories, which go when they are shipped.
type quarantine struct {
	dir string
	log *slog.Logger
}

// keepDamage keeps the bytes of a segment that are no frames. They are logged
// when first seen, not by every start until the segment is freed.
func (q quarantine) keepDamage(producer string, file segmentFile, data []byte, bad []span) {
	if len(bad) == 0 {
		return
	}
	var bytes []byte
	for _, b := range bad {
		bytes = append(bytes, data[b.from:b.to]...)
	}
	name := producer + "-" + filepath.Base(file.path) + ".bad"
	fresh, err := q.keep(name, bytes)
	if fresh || err != nil {
		q.log.Error("spool segment is damaged", "file", name, "places", len(bad),
			"bytes", len(bytes), "first_offset", bad[0].from, "not_kept", err)
	}
}

// keepStart takes a START of which no record can be made out of the journal.
func (q quarantine) keepStart(producer string, id [16]byte, payload []byte, cause error) error {
	name := producer + "-" + hex.EncodeToString(id[:]) + ".start"
	if _, err := q.keep(name, payload); err != nil {
		return err
	}
	q.log.Error("unfinished request cannot be recorded", "file", name, "error", cause)
	return nil
}

// keep writes a file, and reports whether it was not there before.
func (q quarantine) keep(name string, data []byte) (fresh bool, err error) {
	path := filepath.Join(q.dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return false, nil
	}
	if err := os.MkdirAll(q.dir, 0o700); err != nil {
		return false, err
	}
	if used := q.used(); used+int64(len(data)) > quarantineBytes {
		return false, fmt.Errorf("quarantine is full: %d bytes", used)
	}
	return true, os.WriteFile(path, data, 0o600)
}

func (q quarantine) used() int64 {
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
