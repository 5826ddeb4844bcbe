package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const releaseScript = "../scripts/release"

// The release deletes its folder first, so a wrong path must not cost other files.
func TestReleaseKeepsForeignFolders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "thesis.txt")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cmd := exec.CommandContext(t.Context(), releaseScript)
	cmd.Env = append(os.Environ(), "RELEASE_OUT="+filepath.Dir(file), "GO111MODULE=off") // stops a build at once
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "contains files but no SHA256SUMS")
	require.FileExists(t, file)
}

// dpkg must upgrade a release candidate to the release.
func TestReleasePackageVersions(t *testing.T) {
	t.Parallel()
	requireProgram(t, "dpkg")
	last := "0.0~git"
	for _, version := range []string{"799f9f84-dirty", "v1.2.0-alpha1", "v1.2.0-beta.1", "v1.2.0-rc1", "v1.2.0-rc1-3-g799f9f84", "v1.2.0-rc2", "v1.2.0", "v1.2.0-4-g799f9f84", "v1.2.1-rc1"} {
		next := debianVersion(t, version)
		require.NotContains(t, next, "-", version)
		runProgram(t, "dpkg", "--compare-versions", last, "lt", next)
		last = next
	}
}

// debianVersion runs the function of the script.
func debianVersion(t *testing.T, version string) string {
	t.Helper()
	script, err := os.ReadFile(releaseScript)
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(script), "\ndebian_version() {")
	require.True(t, ok)
	body, _, _ := strings.Cut(rest, "\n}\n")
	return strings.TrimSpace(runProgram(t, "bash", "-c", "version="+version+" SOURCE_DATE_EPOCH=0\ndebian_version() {"+body+"\n}\ndebian_version"))
}
