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
	// Without its own process group, a server would receive Ctrl-C together with the test process and
	// stop too early.
	cmd.SysProcAttr.Setpgid = true
}
