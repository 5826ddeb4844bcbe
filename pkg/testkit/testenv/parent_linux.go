package testenv

import (
	"os/exec"
	"syscall"
)

func dieWithParent(cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = signal
	// A terminal's Ctrl-C is meant for the parent, which stops its servers last.
	cmd.SysProcAttr.Setpgid = true
}
