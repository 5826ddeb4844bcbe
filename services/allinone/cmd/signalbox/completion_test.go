package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func complete(t *testing.T, words ...string) []string {
	t.Helper()
	out, err := runOffline(t, append([]string{"__complete"}, words...)...)
	require.NoError(t, err)
	return strings.Fields(out)
}

func TestCompletion(t *testing.T) {
	require.Equal(t, []string{"keys"}, complete(t, "ke"))
	require.Equal(t, []string{"list", "create", "edit", "rotate", "revoke"}, complete(t, "keys", ""))
	require.Equal(t, []string{"--usd-per-day", "--usd-per-month"}, complete(t, "keys", "create", "--name", "x", "--usd"))
	require.Equal(t, []string{"--listen"}, complete(t, "--lis"))
	require.Contains(t, complete(t), "policy")
	require.Empty(t, complete(t, "nothing", "--"))
	require.Empty(t, complete(t, "policy", "validate", "sig"), "the shell completes files")
}

// The script works in a real shell.
func TestCompletionInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	require.NoError(t, err)
	script, err := runOffline(t, "completion", "bash")
	require.NoError(t, err)
	dir := t.TempDir()
	// A stand-in for the binary prints the words that it gets.
	stub := "#!/bin/sh\nprintf '%s\\n' \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "signalbox"), []byte(stub), 0o755)) //nolint:gosec // it must be executable
	cmd := exec.CommandContext(t.Context(), bash, "-c", script+`
COMP_WORDS=(signalbox keys cr ignored); COMP_CWORD=2; _signalbox; printf '%s,' "${COMPREPLY[@]}"`)
	cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "__complete,keys,cr,", string(out))
	for _, shell := range []string{"zsh", "fish"} {
		out, err := runOffline(t, "completion", shell)
		require.NoError(t, err)
		require.Contains(t, out, "__complete")
	}
	_, err = runOffline(t, "completion", "csh")
	require.ErrorContains(t, err, "bash, zsh or fish")
}

func TestManualDescribesEveryCommand(t *testing.T) {
	out, err := runOffline(t, "manual")
	require.NoError(t, err)
	plain := strings.ReplaceAll(out, `\-`, "-")
	for _, cmd := range allCommands() {
		require.Contains(t, plain, ".SS signalbox "+cmd.Name)
		require.Contains(t, plain, cmd.Summary)
	}
	require.Contains(t, plain, "SIGNALBOX_LISTEN")
	require.Contains(t, plain, "--usd-per-day")
	require.NotRegexp(t, `[^\x00-\x7f]`, out, "man needs no encoding")
}

func TestEveryServiceHasAManual(t *testing.T) {
	for _, service := range []string{"proxy", "router", "keyauth", "dashboard"} {
		out, err := runOffline(t, "manual", service)
		require.NoError(t, err)
		require.Contains(t, strings.ReplaceAll(out, `\-`, "-"), ".SH NAME\nsignalbox-"+service+" - ")
		require.Contains(t, out, "SIGNALBOX_LISTEN")
	}
	_, err := runOffline(t, "manual", "nothing")
	require.ErrorContains(t, err, "there is no service")
}
