package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/config"
)

// runOffline runs a command as main does, on a machine where no service runs.
func runOffline(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := dispatch(t.Context(), invocation{args: args, in: strings.NewReader(""), out: &out, err: &out})
	return out.String(), err
}

func TestEveryCommandHasHelp(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range allCommands() {
		require.False(t, seen[cmd.name], cmd.name)
		seen[cmd.name] = true
		for _, args := range [][]string{append(strings.Fields(cmd.name), "--help"), append([]string{"help"}, strings.Fields(cmd.name)...)} {
			if cmd.name == "version" {
				continue
			}
			_, err := runOffline(t, args...)
			var help *config.Help
			require.ErrorAs(t, err, &help, args)
			require.Contains(t, help.Usage, cmd.summary)
			require.Contains(t, help.Usage, strings.TrimSpace("signalbox "+cmd.name+" "+cmd.arguments))
			for _, word := range strings.Fields(cmd.arguments) {
				require.Contains(t, help.Usage, "\n  "+word+" ", "what it takes is explained")
			}
		}
	}
}

// Every example must parse: it may fail only because no service runs.
func TestEveryExampleParses(t *testing.T) {
	for _, cmd := range allCommands() {
		if cmd.groupName() == "" || slices.Contains([]string{"export verify", "policy validate", "policy test"}, cmd.name) { // which need no service
			continue
		}
		require.NotEmpty(t, cmd.examples, cmd.name)
		for _, e := range cmd.examples {
			args := append(strings.Fields(cmd.name), strings.Fields(e)...)
			_, err := runOffline(t, append(args, "--data", t.TempDir())...)
			var unreachable *unreachableError
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
		"sessions end a@b --session=":       "--session=\"\": is empty",
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
	var unreachable *unreachableError
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

// A command must not ask questions when standard input is the null device.
func TestNullDeviceIsNotInteractive(t *testing.T) {
	for name, want := range map[string]bool{os.DevNull: false, "/dev/ptmx": true, t.TempDir(): false} {
		f, err := os.Open(name)
		require.NoError(t, err)
		require.Equal(t, want, isInteractive(f), name)
		require.NoError(t, f.Close())
	}
}

func TestTokenURL(t *testing.T) {
	data := t.TempDir()
	require.Equal(t, "http://127.0.0.1:8081/p?token=a%2Bb", (&operatorCommand{data: data}).tokenURL("/p", "a+b"))
	require.NoError(t, os.WriteFile(filepath.Join(data, "address"), []byte("http://127.0.0.1:9\n"), 0o600))
	require.Equal(t, "http://127.0.0.1:9/p?token=t", (&operatorCommand{data: data}).tokenURL("/p", "t"))
	require.Equal(t, "http://127.0.0.1:8081/p?token=t", (&operatorCommand{data: data, server: "h:1"}).tokenURL("/p", "t"))
	var o operatorCommand
	require.NoError(t, parseOrigin(&o.publicURL)("https://signalbox.example.com/"))
	require.Equal(t, "https://signalbox.example.com/p?token=t", o.tokenURL("/p", "t"))
}

func TestConfirm(t *testing.T) {
	ask := func(interactive bool, typed string) (string, error) {
		var shown bytes.Buffer
		o := &operatorCommand{invocation: invocation{in: strings.NewReader(typed), err: &shown, interactive: interactive}}
		err := o.confirm(t.Context(), "End \x1b[31mit?")
		return shown.String(), err
	}
	for _, yes := range []string{"y\n", "YES\n"} {
		shown, err := ask(true, yes)
		require.NoError(t, err)
		require.Equal(t, "End ?[31mit? [y/N] ", shown)
	}
	for _, no := range []string{"\n", "no\n", "yesterday\n"} {
		_, err := ask(true, no)
		require.EqualError(t, err, "nothing was changed")
	}
	_, err := ask(true, "")
	require.ErrorIs(t, err, errCannotConfirm)
	_, err = ask(false, "y\n")
	require.ErrorIs(t, err, errCannotConfirm)
	require.NoError(t, (&operatorCommand{yes: true}).confirm(context.Background(), "End it?"))
}
