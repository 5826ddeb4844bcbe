package spool

import (
	"errors"
	"log/slog"
	"time"
)

const (
	defaultSegmentBytes = 4 << 20
	defaultMemoryBytes  = 16 << 20
	defaultResendAfter  = 5 * time.Second
)

// Config says where the spool is and how it behaves.
type Config struct {
	// Dir is shared by all processes that may adopt each other's records.
	Dir string
	// SegmentBytes is the size at which a file is ended, 4 MiB if 0.
	SegmentBytes int64
	// MemoryBytes bounds the records kept in memory while the disk refuses
	// them, 16 MiB if 0.
	MemoryBytes int
	// ResendAfter is how long a sent record may stay uncommitted before it is
	// sent again, 5 s if 0. It grows to a minute while nothing changes.
	ResendAfter time.Duration
	Log         *slog.Logger
	// Recover makes the record of a request whose process died, out of what
	// Start was given. Open calls it; start is valid only during the call.
	Recover func(start []byte) (record []byte, err error)
}

func (c *Config) complete() error {
	if c.Dir == "" || c.Log == nil || c.Recover == nil {
		return errors.New("spool: Dir, Log and Recover are needed")
	}
	if c.SegmentBytes <= 0 {
		c.SegmentBytes = defaultSegmentBytes
	}
	if c.MemoryBytes <= 0 {
		c.MemoryBytes = defaultMemoryBytes
	}
	if c.ResendAfter <= 0 {
		c.ResendAfter = defaultResendAfter
	}
	return nil
}
