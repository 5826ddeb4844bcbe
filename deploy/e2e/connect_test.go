package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestConnectByCommandLine(t *testing.T) { forEachDeployment(t, connectByCommandLine) }

// The key that connect writes works until disconnect, which restores the file.
func connectByCommandLine(t *testing.T, start func(*testing.T, ...string) *Gateway) {
	box := start(t)
	home := t.TempDir()
	run := func(args ...string) commandResult { return runCLIWithEnv(t, []string{"HOME=" + home}, args...) }
	file := filepath.Join(home, ".codex", "config.toml")
	const before = "# mine\nmodel = \"gpt-5\" # favourite\n"
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(before), 0o600))

	where := []string{"--data", box.Data}
	if box.Data == "" {
		keyauth := box.running("keyauth")
		where = []string{"--server", readProcessEnv(keyauth, "SIGNALBOX_LISTEN"), "--certs", readProcessEnv(keyauth, "SIGNALBOX_CERTS"), "--url", box.Base}
	}
	refused := run(append([]string{"connect", "codex"}, where...)...)
	require.Equal(t, 1, refused.code)
	require.Contains(t, refused.err, "add --yes to confirm")
	made := run(append([]string{"connect", "codex", "--yes"}, where...)...)
	require.Zero(t, made.code, made.err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `base_url = "`+box.Base+`/proxy/v1"`)
	key := regexp.MustCompile(`sbx_live_\w+`).FindString(string(text))
	require.NotContains(t, made.out+made.err, key)
	require.Eventually(t, func() bool { return box.status(key) == http.StatusOK }, waitTimeout, pollInterval)

	gone := run("disconnect", "codex", "--yes")
	require.Zero(t, gone.code, gone.err)
	require.Eventually(t, func() bool { return box.status(key) == http.StatusUnauthorized }, waitTimeout, pollInterval)
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, string(text))
	require.NoDirExists(t, filepath.Join(home, ".config"))
}
