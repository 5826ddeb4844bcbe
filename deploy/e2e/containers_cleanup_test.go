package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeDocker writes its arguments and its project to a file. It cannot build images.
const fakeDocker = `#!/usr/bin/env bash
echo "$COMPOSE_PROJECT_NAME $COMPOSE_FILE: $*" >>"$CALLS"
[[ $1 != build ]]
`

// The cleanup of `make containers` removes volumes. If a build fails, it must not remove those of
// the operator's project.
func TestContainersCleanUpOnlyTheirOwnProject(t *testing.T) {
	t.Parallel()
	root, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, "deploy", "scripts"), os.DirFS("../scripts")))
	require.NoError(t, os.CopyFS(filepath.Join(root, "deploy", "containers"), os.DirFS("../containers")))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(fakeDocker), 0o700)) //nolint:gosec // a program
	calls := filepath.Join(bin, "calls")
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "deploy", "scripts", "containers"))
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "CALLS="+calls, "IMAGES=published",
		"COMPOSE_PROJECT_NAME=production", "COMPOSE_FILE=production.yml")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the image cannot be built")
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	files := filepath.Join(root, "docker-compose.yml") + ":" + filepath.Join(root, "deploy/containers/check.yml")
	require.Equal(t, "signalbox-check "+files+": compose -p signalbox-check down --volumes --remove-orphans --timeout 5", lines[len(lines)-1])
}
