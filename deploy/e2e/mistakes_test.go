package e2e

import (
	"io"
	"net"
	"net/http"
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

// A client whose base URL lacks /proxy/v1 gets a JSON error with the right base URL. A browser
// gets a page.
func TestWrongBaseURLs(t *testing.T) {
	box := Start(t)
	send := func(method, path, header, value string) (status int, kind, body string) {
		req, err := http.NewRequestWithContext(t.Context(), method, box.Base+path, strings.NewReader("{}"))
		require.NoError(t, err)
		req.Header.Set(header, value)
		res, err := edgeClient.Do(req)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, res.Header.Get("Content-Type"), string(text)
	}
	for path, method := range map[string]string{
		"/chat/completions": "POST", "/v1/chat/completions": "POST", "/embeddings": "POST", "/responses": "POST",
		"/openai/deployments/gpt/chat/completions?api-version=1": "POST", "/models": "GET", "/models/auto": "GET",
	} {
		for _, header := range [][2]string{{"Accept", "application/json"}, {"Authorization", "Bearer " + box.Key}, {"Accept", "*/*"}} {
			status, kind, body := send(method, path, header[0], header[1])
			require.Equal(t, http.StatusNotFound, status, "%s %s", path, body)
			require.Equal(t, "application/json", kind, path)
			require.Contains(t, body, "ENDPOINT_NOT_FOUND")
			require.Contains(t, body, "the base URL must end in /proxy/v1", path)
		}
	}
	status, kind, _ := send("GET", "/models/auto", "Accept", "text/html,*/*;q=0.8")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, kind, "text/html")
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
	isReady := func() bool {
		return exec.CommandContext(t.Context(), signalboxPath, "probe", box.Base+"/readyz").Run() == nil
	}
	require.Eventually(t, isReady, waitTimeout, pollInterval, "a busy machine exceeds the 3 s that a probe has")
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
