package connect

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/connect/userfiles"
)

// initialFiles returns the files of a client in each state that connect can find.
func initialFiles(t *testing.T, client string) map[string]map[string]string {
	t.Helper()
	states := map[string]map[string]string{"missing": {}, "hand-edited": handWritten[client], "empty": {}}
	for _, rel := range newHome(t).settingsFiles(client) {
		states["empty"][rel] = ""
	}
	commented := map[string]string{}
	for rel := range states["empty"] {
		commented[rel] = map[bool]string{true: "// nothing yet\n{\n  // still nothing\n}\n", false: "# nothing yet\n\n# still nothing"}[filepath.Ext(rel) == ".json"]
	}
	states["commented"] = commented
	return states
}

// For every client and every state of its files, disconnect restores the home folder byte
// for byte, with all modes and without the folders that connect created.
func TestDisconnectRestoresEveryByte(t *testing.T) {
	for _, client := range clientNames() {
		for state, files := range initialFiles(t, client) {
			t.Run(client+" "+state, func(t *testing.T) {
				h := newHome(t)
				for rel, text := range files {
					h.write(rel, text, 0o644)
				}
				before := h.snapshot()
				key := newKey()
				out := h.connect(client, key)
				require.NotContains(t, out, key, "the key is masked")
				require.NotContains(t, out, "mine", "no secret of the user is shown")
				require.Contains(t, out, key[:13]+"…")
				for _, rel := range h.settingsFiles(client) {
					info, err := os.Stat(filepath.Join(h.dir, rel))
					require.NoError(t, err)
					require.Equal(t, os.FileMode(0o600), info.Mode(), rel)
				}
				require.Contains(t, h.allText(client), key)
				require.Contains(t, h.allText(client), gatewayURL+"/proxy")
				for rel, text := range files {
					for _, comment := range []string{"my settings", "favourite", "/* keep */", "nothing yet", "still nothing", "paid"} {
						require.Equal(t, strings.Count(text, comment), strings.Count(h.read(rel), comment), comment)
					}
				}
				connected := h.snapshot()
				require.Contains(t, h.connect(client, key), "nothing was changed")
				require.Equal(t, connected, h.snapshot(), "twice is the same as once")
				require.Contains(t, h.run("disconnect", client, "--dry-run"), "Nothing was changed")
				require.Equal(t, connected, h.snapshot())

				h.run("disconnect", client, "--yes")
				require.Equal(t, before, h.snapshot())
				require.Contains(t, h.run("disconnect", client), "is not connected")
				require.Equal(t, before, h.snapshot())
			})
		}
	}
}

func (h *home) allText(client string) string {
	var b strings.Builder
	for _, rel := range h.settingsFiles(client) {
		b.WriteString(h.read(rel))
	}
	return b.String()
}

// A client that was connected by hand, or by a run whose record is lost, is left as it is.
func TestAlreadyConnectedFilesStay(t *testing.T) {
	for _, client := range clientNames() {
		h := newHome(t)
		key := newKey()
		h.connect(client, key)
		require.NoError(t, os.RemoveAll(filepath.Join(h.dir, ".config/signalbox")))
		before := h.snapshot()
		h.connect(client, key)
		h.run("disconnect", client, "--yes")
		require.Equal(t, before, h.snapshot(), client)
	}
}

// After an edit, disconnect removes only the entries of connect, and says so.
func TestOnlyOurEntriesAreRemovedFromEditedFiles(t *testing.T) {
	for _, client := range clientNames() {
		for _, files := range []map[string]string{{}, handWritten[client]} {
			h := newHome(t)
			for rel, text := range files {
				h.write(rel, text, 0o644)
			}
			before := h.snapshot()
			key := newKey()
			h.connect(client, key)
			edit := edited[client]
			text := h.read(edit.file)
			if edit.old == "" {
				text += edit.new
			} else {
				require.Contains(t, text, edit.old)
				text = strings.Replace(text, edit.old, edit.new, 1)
			}
			h.write(edit.file, text, 0o600)
			require.Contains(t, h.connect(client, key), "nothing was changed", "an edit elsewhere does not disturb")

			require.Contains(t, h.run("disconnect", client, "--yes"), "was edited since")
			left := h.read(edit.file)
			require.Contains(t, left, edit.mark)
			require.NotContains(t, left, key)
			require.NotContains(t, left, gatewayURL)
			for _, word := range []string{"my settings", "favourite", "sk-ant-mine", "AIza-mine", "trust_level", "flake8", "gpt-5", "opus", "env_key", "qwen3"} {
				require.Equal(t, strings.Count(files[edit.file], word), strings.Count(left, word), "%s: %s in\n%s", client, word, left)
			}
			after := h.snapshot()
			for rel, want := range before {
				if rel != edit.file {
					require.Equal(t, want, after[rel], rel)
				}
			}
		}
	}
}

// A variable that the user assigned again stays, but the line with our key goes.
func TestAKeyThatIsAssignedAgainIsRemoved(t *testing.T) {
	for client, assignment := range map[string]string{"gemini": "GEMINI_API_KEY=mine\n", "qwen": "OPENAI_API_KEY=mine\n"} {
		h, file := newHome(t), "."+client+"/.env"
		h.connect(client, newKey())
		h.write(file, h.read(file)+assignment, 0o600)
		require.Contains(t, h.run("disconnect", client, "--yes"), "was changed since, and stays")
		require.Equal(t, assignment, h.read(file))
	}
}

func TestDryRunTouchesNothing(t *testing.T) {
	for _, client := range clientNames() {
		h := newHome(t)
		require.NoError(t, os.MkdirAll(filepath.Join(h.dir, ".config/signalbox/connect"), 0o700))
		before := h.snapshot()
		out := h.run("connect", client, "--url", gatewayURL, "--dry-run")
		require.Contains(t, out, "(new key)")
		require.Contains(t, out, gatewayURL)
		require.Equal(t, before, h.snapshot(), "not even what a killed run left is removed")
	}
}

// A link in place of a file, or of its folder, is refused, and nothing changes anywhere.
func TestLinksAreRefused(t *testing.T) {
	for _, client := range clientNames() {
		for _, rel := range newHome(t).settingsFiles(client) {
			for _, link := range []string{rel, filepath.Dir(rel)} {
				if link == "." {
					continue // the home folder itself may be a link
				}
				h := newHome(t)
				target := filepath.Join(t.TempDir(), "target")
				if link == rel {
					require.NoError(t, os.WriteFile(target, nil, 0o600))
				} else {
					require.NoError(t, os.Mkdir(target, 0o700))
				}
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(h.dir, link)), 0o700))
				require.NoError(t, os.Symlink(target, filepath.Join(h.dir, link)))
				before := h.snapshot()
				_, err := h.tryRun("connect", client, "--url", gatewayURL, "--key", newKey(), "--yes")
				require.ErrorContains(t, err, filepath.Join(h.dir, link)+" is a symbolic link")
				require.Equal(t, before, h.snapshot())
			}
		}
	}
}

// A link that replaces a connected file is not followed by disconnect either.
func TestDisconnectRefusesALink(t *testing.T) {
	h := newHome(t)
	h.connect("claude", newKey())
	file, target := filepath.Join(h.dir, ".claude/settings.json"), filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.Rename(file, target))
	require.NoError(t, os.Symlink(target, file))
	before := h.snapshot()
	_, err := h.tryRun("disconnect", "claude", "--yes")
	require.ErrorContains(t, err, "is a symbolic link")
	require.Equal(t, before, h.snapshot())
}

func TestWithoutATerminalAConfirmationIsNeeded(t *testing.T) {
	h := newHome(t)
	_, err := h.tryRun("connect", "claude", "--url", gatewayURL, "--key", newKey())
	require.ErrorContains(t, err, "add --yes to confirm: Connect Claude Code to "+gatewayURL)
	require.Len(t, h.snapshot(), 1)
	h.connect("claude", newKey())
	before := h.snapshot()
	_, err = h.tryRun("disconnect", "claude")
	require.ErrorContains(t, err, "add --yes to confirm")
	require.Equal(t, before, h.snapshot())
}

func TestTheUserIsAsked(t *testing.T) {
	h := newHome(t)
	for _, answer := range []string{"n\n", "y\n"} {
		var out bytes.Buffer
		err := runConnect(t.Context(), cli.Invocation{
			Args: []string{"claude", "--url", gatewayURL, "--key", newKey()}, Environ: h.env, In: strings.NewReader(answer), Out: &out, Err: &out, Interactive: true,
		}, userfiles.Files{})
		require.Equal(t, answer == "n\n", err != nil)
		require.Contains(t, out.String(), "+ env.ANTHROPIC_MODEL: \"claude-auto\"\n")
		require.Less(t, strings.Index(out.String(), "ANTHROPIC_MODEL"), strings.Index(out.String(), "[y/N]"))
		require.Equal(t, answer == "n\n", len(h.snapshot()) == 1)
	}
}

func TestFoldersOfTheClientAreRespected(t *testing.T) {
	other := t.TempDir()
	for client, variable := range map[string]string{
		"claude": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "gemini": "GEMINI_CLI_HOME", "opencode": "XDG_CONFIG_HOME",
		"cline": "CLINE_DATA_DIR", "continue": "CONTINUE_GLOBAL_DIR", "qwen": "QWEN_HOME",
	} {
		dir := filepath.Join(other, client)
		h := newHome(t, variable+"="+dir)
		h.connect(client, newKey())
		require.DirExists(t, dir, client)
		for path := range h.snapshot() {
			require.False(t, strings.Contains(path, client) && !strings.HasPrefix(path, ".config/signalbox"), "nothing in the usual folder")
		}
		h.run("disconnect", client, "--yes")
		require.NoDirExists(t, dir)
	}
}

// A client that is connected in two folders gets the files in both of them back.
func TestFilesOfAnEarlierFolderAreRestored(t *testing.T) {
	h, key := newHome(t), newKey()
	h.write(".claude/settings.json", `{"env":{"ANTHROPIC_AUTH_TOKEN":"sk-ant-mine"}}`, 0o644)
	h.write("work/settings.json", `{"model":"opus"}`, 0o644)
	before, usual := h.snapshot(), h.env
	h.connect("claude", key)
	h.env = append(usual, "CLAUDE_CONFIG_DIR="+filepath.Join(h.dir, "work"))
	h.connect("claude", key)
	require.Contains(t, h.read("work/settings.json"), key)
	h.run("disconnect", "claude", "--yes")
	require.Equal(t, before, h.snapshot())
}

func TestOverridingVariablesAreReported(t *testing.T) {
	h := newHome(t, "OPENAI_BASE_URL=http://other", "CLAUDE_CODE_USE_BEDROCK=1")
	require.Contains(t, h.connect("qwen", newKey()), "Warning: OPENAI_BASE_URL is set in this environment")
	require.Contains(t, h.connect("claude", newKey()), "Warning: CLAUDE_CODE_USE_BEDROCK is set")
	require.NotContains(t, h.connect("codex", newKey()), "Warning")
}

// Claude Code ignores settings with comments.
func TestAFileThatTheClientIgnoresIsReported(t *testing.T) {
	h := newHome(t)
	h.write(".claude/settings.json", "{} // mine\n", 0o600)
	h.write(".gemini/settings.json", "{} // mine\n", 0o600)
	require.Contains(t, h.connect("claude", newKey()), "settings.json has comments or trailing commas, and Claude Code ignores such a file")
	require.NotContains(t, h.connect("gemini", newKey()), "Warning")
}

// Claude Code gets a status line, unless the user has one.
func TestTheStatusLineOfTheUserStays(t *testing.T) {
	const file = ".claude/settings.json"
	h := newHome(t)
	require.Contains(t, h.connect("claude", newKey()), `+ statusLine: {"command":`)
	self, err := os.Executable()
	require.NoError(t, err)
	var settings struct{ StatusLine map[string]string }
	require.NoError(t, json.Unmarshal([]byte(h.read(file)), &settings))
	require.Equal(t, map[string]string{"type": "command", "command": self + " statusline"}, settings.StatusLine)

	for _, mine := range []string{`{"statusLine": {"type": "command", "command": "mine"}}`, `{"statusLine": null}`, `{"statusLine": {}}`} {
		h = newHome(t)
		h.write(file, mine, 0o600)
		require.NotContains(t, h.connect("claude", newKey()), "statusLine")
		require.Contains(t, h.read(file), strings.Trim(mine, "{}"))
		h.write(file, strings.Replace(h.read(file), `"env"`, `"theme": "dark", "env"`, 1), 0o600)
		h.run("disconnect", "claude", "--yes")
		require.Contains(t, h.read(file), strings.Trim(mine, "{}"), "after an edit elsewhere")
	}
}

// Folders above the records go with the last client, whichever was the first.
func TestSharedFoldersGoWithTheLastClient(t *testing.T) {
	h := newHome(t)
	for _, client := range []string{"claude", "codex", "opencode"} {
		h.connect(client, newKey())
	}
	for _, client := range []string{"claude", "opencode", "codex"} {
		h.run("disconnect", client, "--yes")
	}
	require.Len(t, h.snapshot(), 1)
}

// OpenCode reads two files. The one that wins is changed.
func TestOpenCodeWithComments(t *testing.T) {
	h := newHome(t)
	h.write(".config/opencode/opencode.jsonc", "{ /* mine */ }", 0o644)
	before := h.snapshot()
	h.connect("opencode", newKey())
	require.NoFileExists(t, filepath.Join(h.dir, ".config/opencode/opencode.json"))
	require.Contains(t, h.read(".config/opencode/opencode.jsonc"), "signalbox/auto")
	h.run("disconnect", "opencode", "--yes")
	require.Equal(t, before, h.snapshot())
}

// A second connect with another gateway or key would make the record wrong.
func TestAnotherTargetNeedsADisconnect(t *testing.T) {
	h := newHome(t)
	h.connect("codex", newKey())
	before := h.snapshot()
	for _, args := range [][]string{{"--key", newKey()}, {"--url", "http://other:1"}} {
		_, err := h.tryRun(append([]string{"connect", "codex", "--yes"}, args...)...)
		require.ErrorContains(t, err, "run signalbox disconnect codex first")
	}
	require.Equal(t, before, h.snapshot())
}

// Entries that were removed by hand are added again. What was edited besides stays at the end.
func TestConnectAgainAfterAnEdit(t *testing.T) {
	h := newHome(t)
	key := newKey()
	h.connect("codex", key)
	h.write(".codex/config.toml", "mine = 1\n", 0o600)
	h.connect("codex", key)
	require.Contains(t, h.read(".codex/config.toml"), key)
	h.run("disconnect", "codex", "--yes")
	require.Equal(t, "mine = 1\n", h.read(".codex/config.toml"))
}

func TestResultAsJSON(t *testing.T) {
	h := newHome(t)
	key := newKey()
	var result resultView
	require.NoError(t, json.Unmarshal([]byte(h.run("connect", "gemini", "--url", gatewayURL, "--key", key, "--yes", "--json")), &result))
	require.Equal(t, []string{"gemini", "connected", gatewayURL}, []string{result.Client, result.Status, *result.URL})
	require.Nil(t, result.KeyID)
	require.Len(t, result.Files, 2)
	require.Equal(t, "create", result.Files[0].Action)
	require.Equal(t, key[:13]+"…", *result.Files[0].Changes[1].New)
}

func TestMistakesGetClearMessages(t *testing.T) {
	h := newHome(t)
	for args, want := range map[string]string{
		"connect":                         "CLIENT is missing",
		"connect claud":                   `unknown client "claud", did you mean claude?`,
		"connect claude --key sbx_live_x": "--key: is not a complete Signalbox key",
		"connect claude --server h:1":     "--server needs --url",
		"connect claude --url h":          "must be a URL such as",
		"connect claude --data nowhere":   "no running signalbox uses the data directory",
	} {
		_, err := h.tryRun(strings.Fields(args)...)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
		require.NotContains(t, err.Error(), "sbx_live_x")
	}
	require.Len(t, h.snapshot(), 1)
	h.write(".codex/config.toml", "model = ", 0o600)
	_, err := h.tryRun("connect", "codex", "--url", gatewayURL, "--key", newKey(), "--yes")
	require.ErrorContains(t, err, ".codex/config.toml: the file is not valid TOML")
}

// The samples of this test cover every client.
func TestEveryClientHasSamples(t *testing.T) {
	require.ElementsMatch(t, clientNames(), slices.Collect(maps.Keys(handWritten)))
	require.ElementsMatch(t, clientNames(), slices.Collect(maps.Keys(edited)))
}
