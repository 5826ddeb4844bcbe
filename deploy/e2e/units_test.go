package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxExposure is the highest exposure of a unit, in tenths, that systemd-analyze may report.
const maxExposure = "25"

var unitFiles = map[string]string{"signalbox.service": "signalbox.service", "signalbox@.service": "signalbox@proxy.service"}

func requireProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

func TestUnitsAreHardened(t *testing.T) {
	t.Parallel()
	requireProgram(t, "systemd-analyze")
	for file, unit := range unitFiles {
		text, err := os.ReadFile("../systemd/" + file)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), unit)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		out, err := exec.CommandContext(t.Context(), "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold="+maxExposure, path).CombinedOutput()
		require.NoError(t, err, "%s", out)
		found := regexp.MustCompile(`Overall exposure level for .*: ([0-9.]+)`).FindSubmatch(out)
		require.NotNil(t, found, "%s", out)
		t.Logf("release| %s: exposure %s of at most 2.5", unit, found[1])
	}
}

// The units of the all-in-one and of the services have the same restrictions.
func TestUnitsHaveEqualRestrictions(t *testing.T) {
	t.Parallel()
	var all []string
	for file := range unitFiles {
		text, err := os.ReadFile("../systemd/" + file)
		require.NoError(t, err)
		_, restrictions, found := strings.Cut(string(text), "# It needs the network")
		require.True(t, found, file)
		all = append(all, restrictions)
	}
	require.Equal(t, all[0], all[1])
}
