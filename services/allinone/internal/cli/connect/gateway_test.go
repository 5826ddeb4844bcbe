package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/access"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// killVariable makes the test binary run a command and kill itself after that many steps.
const killVariable = "CONNECT_KILL_AFTER"

func TestMain(m *testing.M) {
	if after, err := strconv.Atoi(os.Getenv(killVariable)); err == nil {
		os.Exit(runAndKill(after, os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

func runAndKill(after int, name string, args []string) int {
	files := userfiles.Files{Checkpoint: func(string) {
		if after--; after == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	run := map[string]func(context.Context, cli.Invocation, userfiles.Files) error{"connect": runConnect, "disconnect": runDisconnect}[name]
	err := run(context.Background(), cli.Invocation{Args: args, Environ: os.Environ(), In: strings.NewReader(""), Out: os.Stdout, Err: os.Stderr}, files)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runKilled runs a command in a process that is killed after some steps. It reports whether
// the command ended before.
func (h *home) runKilled(after int, args ...string) (ended bool) {
	h.t.Helper()
	self, err := os.Executable()
	require.NoError(h.t, err)
	cmd := exec.CommandContext(h.t.Context(), self, args...)
	cmd.Env = append(h.env, killVariable+"="+strconv.Itoa(after))
	out, err := cmd.CombinedOutput()
	if err != nil {
		require.Equal(h.t, syscall.SIGKILL, cmd.ProcessState.Sys().(syscall.WaitStatus).Signal(), "%v: %s", err, out)
	}
	return err == nil
}

type keyState struct{ ID, Name, State string }

// activeKeys returns the keys of a client that are not revoked.
func activeKeys(t *testing.T, data, client string) (active []keyState) {
	t.Helper()
	out, _ := clitest.Commands(access.KeyCommands()).Run(t, "keys", "list", "--json", "--data", data)
	var all struct{ Items []keyState }
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	for _, k := range all.Items {
		if strings.HasPrefix(k.Name, client+" on ") && k.State == "active" {
			active = append(active, k)
		}
	}
	return active
}

func TestAKeyIsCreatedAndRevoked(t *testing.T) {
	data, base, first := clitest.StartGateway(t)
	h := newHome(t)
	require.Contains(t, h.run("connect", "claude", "--data", data, "--dry-run"), base+"/proxy")
	require.Empty(t, activeKeys(t, data, "claude"), "a dry run creates no key")
	h.run("connect", "claude", "--data", data, "--yes")
	keys := activeKeys(t, data, "claude")
	require.Len(t, keys, 1)
	host, err := os.Hostname()
	require.NoError(t, err)
	require.Contains(t, keys[0].Name, "claude on "+host)
	var settings struct{ Env map[string]string }
	require.NoError(t, json.Unmarshal([]byte(h.read(".claude/settings.json")), &settings))
	require.Equal(t, http.StatusOK, chatStatus(t, settings.Env["ANTHROPIC_BASE_URL"], settings.Env["ANTHROPIC_AUTH_TOKEN"]))

	require.Contains(t, h.run("connect", "claude", "--data", data, "--yes"), "nothing was changed")
	require.Equal(t, keys, activeKeys(t, data, "claude"), "no second key")
	t.Chdir(t.TempDir())
	h.run("disconnect", "claude", "--yes")
	require.Empty(t, activeKeys(t, data, "claude"), "the data directory is in the record")
	require.Len(t, h.snapshot(), 1)

	h.run("connect", "claude", "--data", data, "--key", first, "--yes")
	h.run("disconnect", "claude", "--yes")
	require.Equal(t, http.StatusOK, chatStatus(t, base+"/proxy", first), "a given key is not revoked")
}

func chatStatus(t *testing.T, base, key string) int {
	t.Helper()
	body := strings.NewReader(`{"model":"auto","messages":[{"role":"user","content":"Say hello"}]}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/chat/completions", body)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

// Without its gateway, disconnect restores the files, and says that the key is left.
func TestDisconnectWithoutTheGateway(t *testing.T) {
	var h *home
	t.Run("with the gateway", func(inner *testing.T) {
		data, _, _ := clitest.StartGateway(inner)
		h = newHome(t)
		h.run("connect", "qwen", "--data", data, "--yes")
	})
	_, err := h.tryRun("disconnect", "qwen", "--yes")
	var unreachable *cli.UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "the settings of Qwen Code are restored, but its key")
	require.NoDirExists(t, filepath.Join(h.dir, ".qwen"))
	h.run("disconnect", "qwen", "--yes", "--keep-key")
	require.Len(t, h.snapshot(), 1)
}

// A process that is killed between any two steps leaves the old or the new content of each
// file. disconnect restores everything, and no key is left.
func TestAKillBetweenAnyTwoSteps(t *testing.T) {
	data, base, first := clitest.StartGateway(t)
	for _, client := range []string{"codex", "gemini"} {
		for _, files := range []map[string]string{{}, handWritten[client]} {
			for after, ended := 1, false; !ended; after++ {
				h := newHome(t)
				for rel, text := range files {
					h.write(rel, text, 0o644)
				}
				before := h.snapshot()
				ended = h.runKilled(after, "connect", client, "--data", data, "--yes")
				h.requireOldOrNew(client, files, base)
				switch after % 3 {
				case 0:
					h.run("connect", client, "--data", data, "--yes")
					require.Len(t, activeKeys(t, data, client), 1)
				case 1:
					// Succeeds only if the killed run did not record a key.
					_, _ = h.tryRun("connect", client, "--data", data, "--key", first, "--yes")
				}
				h.run("disconnect", client, "--data", data, "--yes")
				h.requireRestored(before, after)
				require.Empty(t, activeKeys(t, data, client), after)
			}
		}
	}
}

func TestAKillDuringDisconnect(t *testing.T) {
	data, base, _ := clitest.StartGateway(t)
	for _, files := range []map[string]string{{}, handWritten["gemini"]} {
		for after, ended := 1, false; !ended; after++ {
			h := newHome(t)
			for rel, text := range files {
				h.write(rel, text, 0o644)
			}
			before := h.snapshot()
			h.run("connect", "gemini", "--data", data, "--yes")
			ended = h.runKilled(after, "disconnect", "gemini", "--yes")
			h.requireOldOrNew("gemini", files, base)
			if _, err := h.tryRun("connect", "gemini", "--data", data, "--yes"); err != nil {
				require.ErrorContains(t, err, "run signalbox disconnect gemini first")
			} else {
				require.Len(t, activeKeys(t, data, "gemini"), 1, "a connected client has a key that works")
			}
			h.run("disconnect", "gemini", "--yes")
			h.requireRestored(before, after)
			require.Empty(t, activeKeys(t, data, "gemini"), after)
		}
	}
}

// requireOldOrNew checks that no settings file is incomplete.
func (h *home) requireOldOrNew(client string, files map[string]string, base string) {
	h.t.Helper()
	for _, rel := range h.settingsFiles(client) {
		text, err := os.ReadFile(filepath.Join(h.dir, rel))
		old, existed := files[rel]
		switch {
		case err != nil:
			require.ErrorIs(h.t, err, os.ErrNotExist)
			require.False(h.t, existed, rel)
		case !existed || string(text) != old:
			require.Regexp(h.t, base+"/proxy|gemini-api-key", string(text))
		}
	}
}

func (h *home) requireRestored(before map[string]string, after int) {
	h.t.Helper()
	require.Equal(h.t, before, h.snapshot(), "killed after step %d", after)
}
