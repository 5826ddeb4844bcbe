package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mistake gives a clear message and exit code 1 before anything starts.
func TestMistakesGiveClearErrors(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	broken := filepath.Join(t.TempDir(), "signalbox.yaml")
	require.NoError(t, os.WriteFile(broken, []byte("version: 1\nrouts: {}\n"), 0o600))

	tests := []struct {
		name  string
		flags []string
		env   string
		want  string
	}{
		{"taken port", []string{"--listen", taken.Addr().String()}, "", "cannot listen on " + taken.Addr().String()},
		{"taken admin port", []string{"--admin", taken.Addr().String()}, "", "cannot listen on " + taken.Addr().String()},
		{"data is a file", []string{"--data", file}, "", "cannot use the data directory"},
		{"broken policy", []string{"--config", broken}, "", `broken.yaml:2:1`},
		{"absent policy", []string{"--config", broken + ".no"}, "", "no such file"},
		{"unknown flag", []string{"--lisen", "x"}, "", "did you mean --listen?"},
		{"unknown variable", nil, "SIGNALBOX_LISEN=x", "did you mean SIGNALBOX_LISTEN?"},
		{"unknown verb", []string{"rnu"}, "", "unknown command"},
		{"bad duration", []string{"--drain-limit", "soon"}, "", "--drain-limit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"--listen", "127.0.0.1:0", "--data", filepath.Join(t.TempDir(), "data")}, tt.flags...)
			if len(tt.flags) == 1 {
				args = tt.flags
			}
			cmd := exec.CommandContext(t.Context(), signalboxPath, args...)
			cmd.Env = append(cleanEnvironment(), tt.env)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Equal(t, 1, cmd.ProcessState.ExitCode())
			want := strings.ReplaceAll(tt.want, "broken.yaml", filepath.Base(broken))
			require.Contains(t, string(out), want)
			require.LessOrEqual(t, strings.Count(strings.TrimSpace(string(out)), "\n"), 1, "%s", out)
			require.NotContains(t, string(out), "goroutine")
		})
	}
}

func TestTwoProcessesDoNotShareData(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	cmd := exec.CommandContext(t.Context(), signalboxPath, "--listen", "127.0.0.1:0", "--data", box.Data)
	cmd.Env = cleanEnvironment()
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "in use by another signalbox")
}

func TestProbe(t *testing.T) {
	t.Parallel()
	box := StartAllInOne(t)
	require.NoError(t, exec.CommandContext(t.Context(), signalboxPath, "probe", box.Base+"/readyz").Run())
	require.Error(t, exec.CommandContext(t.Context(), signalboxPath, "probe", box.Base+"/proxy/v1/models").Run(), "no key")
	require.Error(t, exec.CommandContext(t.Context(), signalboxPath, "probe").Run())
}

func TestVersionAndDoctor(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), signalboxPath, "version").CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "signalbox")
	cmd := exec.CommandContext(t.Context(), signalboxPath, "doctor", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	cmd.Env = cleanEnvironment()
	out, err = cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ok     data directory")
}
