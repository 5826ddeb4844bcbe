//go:build !linux

package testenv

import (
	"os/exec"
	"syscall"
)

// dieWithParent does nothing on systems without such a signal: there a crashed test process
// leaves its servers running.
func dieWithParent(*exec.Cmd, syscall.Signal) {}
