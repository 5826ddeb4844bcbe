package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/process"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// A command that a signal ends fails, unlike the gateway: a script would take its result for complete.
func TestAnInterruptedCommandFails(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	untilSignal := func(ctx context.Context, _ cli.Invocation) error {
		require.NoError(t, self.Signal(syscall.SIGTERM))
		<-ctx.Done()
		return fmt.Errorf("copy the database: %w", ctx.Err())
	}
	program := cli.Program{Sections: []cli.Section{{Commands: []cli.Command{{Name: "backup", Run: untilSignal}}}}, Serve: untilSignal}
	for code, args := range map[int][]string{0: {"--data", "x"}, 1: {"backup"}} {
		require.Equal(t, code, process.Main("x", func(ctx context.Context) error { return program.Dispatch(ctx, cli.Invocation{Args: args}) }), args)
	}
}

// An interrupted backup leaves no file and no success, also if it goes to standard output.
func TestAnInterruptedBackupFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(data, "lock"), nil, 0o600))
	to := filepath.Join(t.TempDir(), "backup.tar.gz")
	for _, out := range []string{to, "-"} {
		var shown bytes.Buffer
		err := newProgram().Dispatch(ctx, cli.Invocation{Args: []string{"backup", "--data", data, "--out", out}, Out: &shown, Err: &shown})
		require.ErrorContains(t, err, "interrupted before it was done")
		require.NotErrorIs(t, err, context.Canceled)
	}
	require.NoFileExists(t, to)
}
