package e2e

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var releaseFlag = flag.String("release", "", "folder of a release that deploy/scripts/release built")

// releaseBinaries are the programs of a release, and packageBinaries their names in a package.
var (
	releaseBinaries = []string{"signalbox", "proxy", "router", "keyauth", "dashboard"}
	packageBinaries = []string{"signalbox", "signalbox-proxy", "signalbox-router", "signalbox-keyauth", "signalbox-dashboard"}
)

func requireRelease(t *testing.T) {
	t.Helper()
	if *releaseFlag == "" {
		t.Skip("runs with make release")
	}
}

// findReleased returns the files of the release that match a pattern.
func findReleased(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(*releaseFlag, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, found, pattern)
	return found
}

func runProgram(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", name, args, out)
	return string(out)
}

func TestReleaseChecksums(t *testing.T) {
	requireRelease(t)
	sums, err := os.ReadFile(filepath.Join(*releaseFlag, "SHA256SUMS"))
	require.NoError(t, err)
	listed := 0
	for line := range strings.Lines(string(sums)) {
		want, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		require.True(t, ok, line)
		text, err := os.ReadFile(filepath.Join(*releaseFlag, name))
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		require.Equal(t, want, hex.EncodeToString(sum[:]), name)
		listed++
	}
	entries, err := os.ReadDir(*releaseFlag)
	require.NoError(t, err)
	require.Equal(t, listed+1, len(entries), "every file but the list itself has a checksum")
}

func TestReleaseArchives(t *testing.T) {
	requireRelease(t)
	for _, archive := range findReleased(t, "*.tar.gz") {
		dir := t.TempDir()
		runProgram(t, "tar", "-C", dir, "--strip-components=1", "-xzf", archive)
		for _, name := range releaseBinaries {
			path := filepath.Join(dir, "bin", name)
			if strings.Contains(archive, "-darwin-") {
				f, err := macho.Open(path)
				require.NoError(t, err)
				require.NoError(t, f.Close())
				continue
			}
			requireStaticELF(t, path)
		}
		for _, name := range []string{"LICENSE", "README.md", "changelog.md", "share/man/man1/signalbox.1.gz", "share/bash-completion/completions/signalbox"} {
			require.FileExists(t, filepath.Join(dir, name))
		}
	}
}

// requireStaticELF requires a program that needs no other file, and that contains no path of the
// machine that built it.
func requireStaticELF(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	for _, p := range f.Progs {
		require.NotEqual(t, elf.PT_INTERP, p.Type, path)
	}
	libraries, err := f.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	here, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.False(t, bytes.Contains(text, []byte(here+"/")), "%s contains the path of the source", path)
}

// The bill lists exactly the modules in the binaries of all targets, and the standard library. Some
// modules are linked for one system only.
func TestReleaseBillOfMaterials(t *testing.T) {
	requireRelease(t)
	text, err := os.ReadFile(findReleased(t, "*.cdx.json")[0])
	require.NoError(t, err)
	var bill struct{ Components []struct{ Purl string } }
	require.NoError(t, json.Unmarshal(text, &bill))
	listed := map[string]bool{}
	for _, c := range bill.Components {
		if module, ok := strings.CutPrefix(c.Purl, "pkg:golang/"); ok && !strings.HasPrefix(module, "std@") {
			listed[module] = true
		}
	}
	require.Contains(t, string(text), `"pkg:golang/std@`)
	linked := map[string]bool{}
	for _, archive := range findReleased(t, "*.tar.gz") {
		dir := t.TempDir()
		runProgram(t, "tar", "-C", dir, "--strip-components=1", "-xzf", archive)
		for _, name := range releaseBinaries {
			addModules(t, filepath.Join(dir, "bin", name), linked)
		}
	}
	require.Greater(t, len(linked), 30)
	require.Equal(t, linked, listed)
}

// addModules adds the modules of a binary, apart from those of Signalbox itself, which have no checksum.
func addModules(t *testing.T, path string, all map[string]bool) {
	t.Helper()
	info, err := buildinfo.ReadFile(path)
	require.NoError(t, err)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		if m.Sum != "" {
			all[m.Path+"@"+m.Version] = true
		}
	}
}

func TestReleaseVersion(t *testing.T) {
	requireRelease(t)
	out := runProgram(t, extractPackage(t)+"/usr/bin/signalbox", "version")
	commit := strings.TrimSpace(runProgram(t, "git", "rev-parse", "HEAD"))
	require.Contains(t, out, "commit        "+commit)
	require.NotContains(t, out, "dirty")
	t.Logf("release| %s", strings.Join(strings.Fields(strings.SplitN(out, "\n", 2)[0]), " "))
}
