//go:build !linux && !darwin

package spool

// freeDiskBytes is not supported on this system. A full disk is noticed by failing writes.
func freeDiskBytes(string) (int64, bool) { return 0, false }
