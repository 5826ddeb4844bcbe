package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// systemctl disables units only by their full names. A machine without systemd cannot run it, so a
// script with that name writes down its arguments.
func TestReleasePackageStopsItsUnits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text, err := os.ReadFile("../systemd/prerm")
	require.NoError(t, err)
	files := map[string]string{
		"prerm":     strings.ReplaceAll(string(text), "/run/systemd/system", dir),
		"systemctl": "#!/bin/sh\necho \"$@\" >>'" + dir + "/calls'\nexit 1\n",
	}
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700)) //nolint:gosec // programs
	}
	runProgram(t, "env", "PATH="+dir+":"+os.Getenv("PATH"), filepath.Join(dir, "prerm"), "upgrade")
	require.NoFileExists(t, filepath.Join(dir, "calls"), "an upgrade leaves them running")
	runProgram(t, "env", "PATH="+dir+":"+os.Getenv("PATH"), filepath.Join(dir, "prerm"), "remove")
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	require.NoError(t, err)
	for _, unit := range []string{"signalbox", "signalbox@proxy", "signalbox@router", "signalbox@keyauth", "signalbox@dashboard"} {
		require.Contains(t, string(calls), "disable --now "+unit+".service\n")
	}
}
