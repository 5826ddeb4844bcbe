//go:build !linux

package testenv

import (
	"os/exec"
	"syscall"
)

// dieWithParent does nothing, because only Linux can signal the children of a dead process. On other
// systems, a crashed test process leaves its servers running.
func dieWithParent(*exec.Cmd, syscall.Signal) {}
