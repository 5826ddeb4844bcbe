package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// childVar makes this test binary run the program itself.
const childVar = "DASHBOARD_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		main()
		return
	}
	testenv.Main(m)
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{childVar + "=1"}
	return cmd
}

func TestConfigErrorIsOneLine(t *testing.T) {
	for _, args := range [][]string{{"--no-such-flag"}, {"--listen", "127.0.0.1:0"}} {
		cmd := command(args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 1, exit.ExitCode())
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
	}
}

func TestHelpSucceeds(t *testing.T) {
	out, err := command("--help").Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "SIGNALBOX_DASHBOARD_STORE")
}
