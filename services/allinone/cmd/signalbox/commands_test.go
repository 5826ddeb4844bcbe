package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// runOffline runs a command as main does, on a machine where no service runs.
func runOffline(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := newProgram().Dispatch(t.Context(), cli.Invocation{Args: args, In: strings.NewReader(""), Out: &out, Err: &out})
	return out.String(), err
}

func allCommands() (all []cli.Command) {
	for _, s := range newProgram().Sections {
		all = append(all, s.Commands...)
	}
	return all
}

func TestEveryCommandHasHelp(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range allCommands() {
		require.False(t, seen[cmd.Name], cmd.Name)
		seen[cmd.Name] = true
		for _, args := range [][]string{append(strings.Fields(cmd.Name), "--help"), append([]string{"help"}, strings.Fields(cmd.Name)...)} {
			_, err := runOffline(t, args...)
			var help *config.Help
			require.ErrorAs(t, err, &help, args)
			require.Contains(t, help.Usage, cmd.Summary)
			require.Contains(t, help.Usage, strings.TrimSpace("signalbox "+cmd.Name+" "+cmd.Arguments))
			for _, word := range strings.Fields(cmd.Arguments) {
				require.Contains(t, help.Usage, "\n  "+word+" ", "what it takes is explained")
			}
		}
	}
}

// Every example must parse: it may fail only because no service runs.
func TestEveryExampleParses(t *testing.T) {
	for _, cmd := range allCommands() {
		if cmd.GroupName() == "" || slices.Contains([]string{"certs check", "export verify", "policy validate", "policy test", "import litellm", "import portkey"}, cmd.Name) { // which need no service
			continue
		}
		require.NotEmpty(t, cmd.Examples, cmd.Name)
		for _, e := range cmd.Examples {
			args := append(strings.Fields(cmd.Name), strings.Fields(e)...)
			_, err := runOffline(t, append(args, "--data", t.TempDir())...)
			var unreachable *cli.UnreachableError
			require.ErrorAs(t, err, &unreachable, args)
		}
	}
}

func TestTypingErrorsGetClearMessages(t *testing.T) {
	for args, want := range map[string]string{
		"kyes":                              `unknown command "kyes", did you mean keys?; see signalbox help`,
		"train":                             `unknown command "train"; see signalbox help`,
		"keys revok k":                      `unknown command "keys revok", did you mean revoke?; see signalbox keys`,
		"keys revoke":                       "KEY is missing",
		"keys revoke a b":                   `"b": unexpected argument`,
		"keys list --acount x":              "--acount: unknown flag, did you mean --account?",
		"keys create --usd-per-day":         "--usd-per-day: needs a value",
		"invites create --role boss":        "must be one of viewer, member, owner",
		"keys list --server here":           "must be HOST:PORT",
		"keys list --server 192.0.2.1:7002": "plaintext gRPC on 192.0.2.1:7002 is not allowed",
		"keys list --account=":              "--account=\"\": is empty",
		"keys list --server=":               "--server=\"\": is empty",
		"sign-ins end a@b --sign-in=":       "--sign-in=\"\": is empty",
		"savings --by=":                     "--by=\"\": is empty",
		"export --format xls":               "must be one of csv, ndjson",
		"export verify":                     "FILE is missing",
		"policy publish":                    "FILE is missing",
		"policy diff x --from=":             "--from=\"\": is empty",
		"policy validate nowhere.yaml":      "no such file",

		"invites create --public-url javascript:alert(1)": "must be a URL such as",
		"bootstrap --public-url ftp://h":                  "must be a URL such as",
		"bootstrap --public-url https://user@h":           "must be a URL such as",
		"bootstrap --public-url https://h/path":           "without a path",
	} {
		_, err := runOffline(t, strings.Fields(args)...)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestAGroupAloneListsItsVerbs(t *testing.T) {
	for _, args := range [][]string{{"keys"}, {"keys", "--help"}, {"keys", "help"}, {"help", "keys"}} {
		_, err := runOffline(t, args...)
		var help *config.Help
		require.ErrorAs(t, err, &help, args)
		require.Contains(t, help.Usage, "signalbox keys rotate KEY")
		require.NotContains(t, help.Usage, "signalbox accounts")
	}
}

func TestUnreachableServiceIsReported(t *testing.T) {
	var unreachable *cli.UnreachableError
	_, err := runOffline(t, "accounts", "list", "--data", t.TempDir())
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "no running signalbox uses the data directory")
	_, err = runOffline(t, "accounts", "list", "--server", "127.0.0.1:1")
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "127.0.0.1:1 cannot be reached: ")
	require.NotContains(t, err.Error(), "desc =")
	_, err = runOffline(t, "accounts", "list", "--data", "/"+strings.Repeat("long/", 30))
	require.ErrorAs(t, err, &unreachable)
	require.ErrorContains(t, err, "at most")
}
