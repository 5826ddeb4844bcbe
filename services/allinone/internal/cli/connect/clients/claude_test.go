package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Claude Code gives the command of its status line to a shell.
func TestAShellRunsTheStatusLine(t *testing.T) {
	for _, folder := range []string{"plain-1.0+2", "it's $HOME `id` \"x\";\\n", "größer"} {
		program := filepath.Join(t.TempDir(), folder, "signalbox")
		require.NoError(t, os.Mkdir(filepath.Dir(program), 0o700))
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\nprintf 'ran %s' \"$*\"\n"), 0o700)) //nolint:gosec // a program
		command, ok := statusLine(program)["command"].(string)
		require.True(t, ok)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, "ran statusline", string(out))
	}
	require.Equal(t, "/usr/bin/signalbox statusline", statusLine("/usr/bin/signalbox")["command"])
}
