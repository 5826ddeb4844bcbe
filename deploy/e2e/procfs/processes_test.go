package procfs

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProcesses(t *testing.T) {
	// The CPU time of a child counts while it runs and after it has exited.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; echo; read line")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	before, err := List()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	during, err := List()
	require.NoError(t, err)
	child := during.CPUTime(cmd.Process.Pid)
	require.Positive(t, child)
	require.Contains(t, during.Tree(os.Getpid()), cmd.Process.Pid)
	require.GreaterOrEqual(t, during.CPUTime(os.Getpid()), before.CPUTime(os.Getpid())+child)
	require.NoError(t, stdin.Close())
	_ = cmd.Wait()
	after, err := List()
	require.NoError(t, err)
	require.NotContains(t, after, cmd.Process.Pid)
	require.GreaterOrEqual(t, after.CPUTime(os.Getpid()), before.CPUTime(os.Getpid())+child)

	busy, all, err := MachineTime()
	require.NoError(t, err)
	require.Less(t, busy, all)
}

func TestResetPeakMemory(t *testing.T) {
	const size = 64 << 20
	hoard := bytes.Repeat([]byte{1}, size)
	require.Len(t, hoard, size)
	hoarding, err := PeakMemory(os.Getpid())
	require.NoError(t, err)
	require.Greater(t, hoarding, 64.0)
	hoard = nil
	debug.FreeOSMemory()
	require.NoError(t, ResetPeakMemory(os.Getpid()))
	after, err := PeakMemory(os.Getpid())
	require.NoError(t, err)
	require.Less(t, after, hoarding-32, len(hoard))
}

func TestReadProcessEnv(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "cat")
	cmd.Env = []string{"SIGNALBOX_ADMIN_X=no", "SIGNALBOX_ADMIN=127.0.0.1:9"}
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	}()
	// The environment is readable once the process runs its program, which is
	// certain when it responds.
	_, err = io.WriteString(stdin, "x")
	require.NoError(t, err)
	_, err = stdout.Read(make([]byte, 1))
	require.NoError(t, err)
	got, err := ReadEnv(cmd.Process.Pid, "SIGNALBOX_ADMIN")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:9", got)
	_, err = ReadEnv(os.Getpid(), "SIGNALBOX_NOWHERE")
	require.Error(t, err)
}

func TestProcessOfThisTest(t *testing.T) {
	require.Positive(t, ResidentMemory(os.Getpid()))
	require.Positive(t, CountFiles(os.Getpid()))
}
