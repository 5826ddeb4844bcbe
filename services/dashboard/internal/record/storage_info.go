package record

import "time"

// StorageInfo describes the database of a ledger.
type StorageInfo struct {
	// Database is sqlite or postgres.
	Database string
	Bytes    int64
	// LastStored is the time of the last commit of a record. It is zero if the
	// feed, the table of recent commits, is empty.
	LastStored time.Time
}
