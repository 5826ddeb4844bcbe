package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// extractPackage unpacks the package for this machine.
func extractPackage(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	runProgram(t, "dpkg-deb", "-x", findReleased(t, "*_"+runtime.GOARCH+".deb")[0], dir)
	return dir
}

func TestReleasePackage(t *testing.T) {
	requireRelease(t)
	for _, file := range findReleased(t, "*.deb") {
		require.Contains(t, runProgram(t, "dpkg-deb", "--field", file, "Package"), "signalbox")
		list := runProgram(t, "dpkg-deb", "--contents", file)
		require.NotContains(t, strings.ReplaceAll(list, "root/root", ""), "root", "every file belongs to root")
		for _, name := range packageBinaries {
			require.Contains(t, list, "./usr/bin/"+name+"\n")
		}
	}
	root := extractPackage(t)
	for _, name := range packageBinaries {
		requireStaticELF(t, filepath.Join(root, "usr/bin", name))
		runProgram(t, "gzip", "-t", filepath.Join(root, "usr/share/man/man1", name+".1.gz"))
	}
	runProgram(t, "bash", "-n", filepath.Join(root, "usr/share/bash-completion/completions/signalbox"))
	require.FileExists(t, filepath.Join(root, "usr/share/zsh/vendor-completions/_signalbox"))
	require.FileExists(t, filepath.Join(root, "usr/share/fish/vendor_completions.d/signalbox.fish"))
	require.FileExists(t, filepath.Join(root, "usr/share/doc/signalbox/changelog.gz"))
}

// dpkg installs the package into a root of its own, and removes it again.
func TestReleasePackageInstalls(t *testing.T) {
	requireRelease(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can install packages")
	}
	root := t.TempDir()
	for _, dir := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o600))
	install := []string{"--root=" + root, "--force-script-chrootless", "--force-depends", "--force-not-root"}
	runProgram(t, "dpkg", append(install, "-i", findReleased(t, "*_"+runtime.GOARCH+".deb")[0])...)
	require.Contains(t, runProgram(t, "dpkg", "--root="+root, "-s", "signalbox"), "Status: install ok installed")
	require.Contains(t, runProgram(t, filepath.Join(root, "usr/bin/signalbox"), "version"), "signalbox ")
	runProgram(t, "dpkg", append(install, "-r", "signalbox")...)
	require.NoFileExists(t, filepath.Join(root, "usr/bin/signalbox"))
}

func TestReleaseUnitsAreValid(t *testing.T) {
	requireRelease(t)
	requireProgram(t, "systemd-analyze")
	root := extractPackage(t)
	units := filepath.Join(root, "usr/lib/systemd/system")
	for _, s := range []string{"proxy", "router", "keyauth", "dashboard"} {
		text, err := os.ReadFile(filepath.Join(units, "signalbox@.service"))
		require.NoError(t, err)
		// The check wants the programs at their paths on this machine.
		checked := strings.NewReplacer("/usr/bin/signalbox-%i", filepath.Join(root, "usr/bin/signalbox-"+s), "man:signalbox-%i(1)", "man:man(1)").Replace(string(text))
		requireValidUnit(t, "signalbox@"+s+".service", checked)
	}
	text, err := os.ReadFile(filepath.Join(units, "signalbox.service"))
	require.NoError(t, err)
	requireValidUnit(t, "signalbox.service", strings.NewReplacer("/usr/bin/signalbox", filepath.Join(root, "usr/bin/signalbox"), "man:signalbox(1)", "man:man(1)").Replace(string(text)))
}

func requireValidUnit(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "verify", "--man=no", path).CombinedOutput()
	require.NoError(t, err, "%s\n%s", name, out)
	require.NotContains(t, string(out), name, "%s", out)
}

// groff reports what it cannot format.
func TestReleaseManualPages(t *testing.T) {
	requireRelease(t)
	requireProgram(t, "groff")
	root := extractPackage(t)
	for _, name := range packageBinaries {
		page := runProgram(t, "gzip", "-dc", filepath.Join(root, "usr/share/man/man1", name+".1.gz"))
		cmd := exec.CommandContext(t.Context(), "groff", "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = strings.NewReader(page)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err)
		require.Empty(t, string(out), name)
	}
}
