//go:build linux || darwin

package spool

import "syscall"

// freeDiskBytes returns the disk space at dir that is available to this user.
func freeDiskBytes(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true //nolint:unconvert // the type of Bsize differs by system
}
