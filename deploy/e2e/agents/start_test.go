//go:build agents

package agents

import (
	"bytes"
	"context"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
)

const agentTimeout = 2 * time.Minute

// doTask configures and starts the agent and waits until it exits.
func (a Installed) doTask(t *testing.T, target Target) string {
	t.Helper()
	require.NoError(t, a.WriteFiles(target))
	if a.Before != nil {
		a.start(t, target, a.Before(target))
	}
	return a.start(t, target, a.Args(target, coder.Task(target.Folder)))
}

// start runs the program in a process group of its own, which ends with it: some agents
// leave processes behind.
func (a Installed) start(t *testing.T, target Target, args []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), agentTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.Path, args...)
	cmd.Dir, cmd.Env = target.Folder, a.Environment(target)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	require.NoError(t, err, "%s %q:\n%s", a.Name, args, output.String())
	return output.String()
}
