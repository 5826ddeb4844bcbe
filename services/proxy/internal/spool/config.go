package spool

import (
	"errors"
	"log/slog"
	"time"
)

const (
	defaultSegmentBytes = 4 << 20
	defaultBytes        = 1 << 30
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
	// Bytes bounds the files of this process and of those it adopted, 1 GiB if
	// 0. Level says what happens on the way there.
	Bytes int64
	// Shed refuses new requests above 95 % of Bytes, instead of keeping their
	// records without bodies until there is no room for these either.
	Shed bool
	// ResendAfter is how long a sent record may stay uncommitted before it is
	// sent again, 5 s if 0. It grows to a minute while nothing changes.
	ResendAfter time.Duration
	Log         *slog.Logger
	// Recover makes the record of a request whose process died, out of what
	// Start was given. Open calls it; start is valid only during the call.
	Recover func(start []byte) (record []byte, err error)
	// Strip returns a record without its body, and whether it had one. It must
	// not keep or change what it is given, and is called by several at a time.
	Strip func(record []byte) (bare []byte, had bool)
}

func (c *Config) complete() error {
	if c.Dir == "" || c.Log == nil || c.Recover == nil || c.Strip == nil {
		return errors.New("spool: Dir, Log, Recover and Strip are needed")
	}
	if c.Bytes <= 0 {
		c.Bytes = defaultBytes
	}
	if c.SegmentBytes <= 0 {
		// The segment that is written to keeps its bodies.
		c.SegmentBytes = min(defaultSegmentBytes, c.Bytes/16)
	}
	if c.MemoryBytes <= 0 {
		c.MemoryBytes = defaultMemoryBytes
	}
	if c.ResendAfter <= 0 {
		c.ResendAfter = defaultResendAfter
	}
	return nil
}
