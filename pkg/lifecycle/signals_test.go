package lifecycle_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/lifecycle"
)

const childMark = "LIFECYCLE_TEST_CHILD"

// TestMain lets the test's own binary be the process that is signalled.
func TestMain(m *testing.M) {
	if os.Getenv(childMark) == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := lifecycle.NotifySignals(context.Background())
	defer cancel()
	fmt.Println("running")
	<-ctx.Done()
	fmt.Println("stopping")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent closes it
}

type child struct {
	cmd   *exec.Cmd
	in    io.Closer
	lines *bufio.Scanner
}

func startChild(t *testing.T) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childMark+"=1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{cmd, in, bufio.NewScanner(out)}
	c.says(t, "running")
	return c
}

func (c *child) says(t *testing.T, want string) {
	t.Helper()
	require.True(t, c.lines.Scan())
	require.Equal(t, want, c.lines.Text())
}

func TestSignalEndsTheContext(t *testing.T) {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := startChild(t)
		require.NoError(t, c.cmd.Process.Signal(s))
		c.says(t, "stopping")
		require.NoError(t, c.in.Close())
		require.NoError(t, c.cmd.Wait())
	}
}

func TestSecondSignalEndsTheProcess(t *testing.T) {
	c := startChild(t)
	require.NoError(t, c.cmd.Process.Signal(syscall.SIGTERM))
	c.says(t, "stopping")
	require.NoError(t, c.cmd.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, c.cmd.Wait(), &exit)
	require.Equal(t, 1, exit.ExitCode(), "by itself, not by the signal")
}

func TestSignalsFollowsItsParent(t *testing.T) {
	why := errors.New("parent ended")
	parent, end := context.WithCancelCause(t.Context())
	ctx, cancel := lifecycle.NotifySignals(parent)
	defer cancel()
	end(why)
	<-ctx.Done()
	require.ErrorIs(t, context.Cause(ctx), why)
}
