//go:build !linux && !darwin

package spool

// freeDiskBytes is not supported on this system. The spool notices a full disk
// only when writes fail.
func freeDiskBytes(string) (int64, bool) { return 0, false }
