package record

import "time"

// Volume is how large a ledger is.
type Volume struct {
	// Kind is the database that keeps it.
	Kind  string
	Bytes int64
	// Grown is when a record was last stored; zero when that is long ago or
	// was never.
	Grown time.Time
}
