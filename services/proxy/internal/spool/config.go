package spool

import (
	"errors"
	"log/slog"
	"time"
)

const (
	defaultSegmentBytes   = 4 << 20
	defaultMaxBytes       = 1 << 30
	defaultMaxMemoryBytes = 16 << 20
	defaultResendAfter    = 5 * time.Second
)

// Config configures a Spool. Dir, Log, Recover and StripBody are required.
type Config struct {
	// Dir is shared by all processes that may adopt each other's records.
	Dir string
	// SegmentBytes is the size at which a new segment file begins. The default
	// is 4 MiB, or a sixteenth of MaxBytes if that is less.
	SegmentBytes int64
	// MaxMemoryBytes limits the records that wait in memory while they cannot be
	// written to the disk. The default is 16 MiB.
	MaxMemoryBytes int
	// MaxBytes limits the total size of this process's files and of adopted ones.
	// The default is 1 GiB. Level describes what happens near the limit.
	MaxBytes int64
	// Shed makes Start return ErrFull above 95 % of MaxBytes. Without it, Start
	// returns ErrFull above 100 %.
	Shed bool
	// ResendAfter is how long a sent record may stay uncommitted before it is
	// sent again. The default is 5 s. The delay doubles up to a minute while
	// the store commits nothing.
	ResendAfter time.Duration
	Log         *slog.Logger
	// Recover builds the record of a request whose process died. start is the payload of
	// the request's START frame; Recover must not retain it.
	Recover func(start []byte) (record []byte, err error)
	// StripBody returns a record without its body, and whether it had one. It must
	// not retain or change the record, and must be safe for concurrent use.
	StripBody func(record []byte) (bare []byte, had bool)
}

func (c *Config) applyDefaults() error {
	if c.Dir == "" || c.Log == nil || c.Recover == nil || c.StripBody == nil {
		return errors.New("spool: Dir, Log, Recover and StripBody are required")
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.SegmentBytes <= 0 {
		// Bodies in the active segment cannot be dropped, so keep that segment small.
		c.SegmentBytes = min(defaultSegmentBytes, c.MaxBytes/16)
	}
	if c.MaxMemoryBytes <= 0 {
		c.MaxMemoryBytes = defaultMaxMemoryBytes
	}
	if c.ResendAfter <= 0 {
		c.ResendAfter = defaultResendAfter
	}
	return nil
}
