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

// do calls a command as main does, on a machine where nothing runs.
func do(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := dispatch(t.Context(), call{args: args, in: strings.NewReader(""), out: &out, err: &out})
	return out.String(), err
}

func TestEveryCommandHasHelp(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range table() {
		require.False(t, seen[cmd.name], cmd.name)
		seen[cmd.name] = true
		for _, args := range [][]string{append(strings.Fields(cmd.name), "--help"), append([]string{"help"}, strings.Fields(cmd.name)...)} {
			if cmd.name == "version" {
				continue
			}
			_, err := do(t, args...)
			var help *config.Help
			require.ErrorAs(t, err, &help, args)
			require.Contains(t, help.Usage, cmd.does)
			require.Contains(t, help.Usage, strings.TrimSpace("signalbox "+cmd.name+" "+cmd.takes))
			for _, word := range strings.Fields(cmd.takes) {
				require.Contains(t, help.Usage, "\n  "+word+" ", "what it takes is explained")
			}
		}
	}
}

// An example that cannot be typed is worse than none: nothing but the absence
// of a service may stop it.
func TestEveryExampleIsUnderstood(t *testing.T) {
	for _, cmd := range table() {
		if cmd.group() == "" || slices.Contains([]string{"export verify", "policy validate", "policy test"}, cmd.name) { // which need no service
			continue
		}
		require.NotEmpty(t, cmd.examples, cmd.name)
		for _, e := range cmd.examples {
			args := append(strings.Fields(cmd.name), strings.Fields(e)...)
			_, err := do(t, append(args, "--data", t.TempDir())...)
			var nobody *unreachable
			require.ErrorAs(t, err, &nobody, args)
		}
	}
}

func TestSlipsOfTheFinger(t *testing.T) {
	for args, want := range map[string]string{
		"kyes":                              `"kyes" is not a command, did you mean keys?; see signalbox help`,
		"train":                             `"train" is not a command; see signalbox help`,
		"keys revok k":                      `"revok" is not a command of keys, did you mean revoke?; see signalbox keys`,
		"keys revoke":                       "KEY is missing",
		"keys revoke a b":                   `"b": unexpected argument`,
		"keys list --acount x":              "--acount: unknown flag, did you mean --account?",
		"keys create --usd-per-day":         "--usd-per-day: needs a value",
		"invites create --role boss":        "want one of viewer, member, owner",
		"keys list --server here":           "want HOST:PORT",
		"keys list --server 192.0.2.1:7002": "plaintext gRPC on 192.0.2.1:7002 is refused",
		"keys list --account=":              "--account=\"\": is empty",
		"keys list --server=":               "--server=\"\": is empty",
		"sessions end a@b --session=":       "--session=\"\": is empty",
		"savings --by=":                     "--by=\"\": is empty",
		"export --format xls":               "want one of csv, ndjson",
		"export verify":                     "FILE is missing",
		"policy publish":                    "FILE is missing",
		"policy diff x --from=":             "--from=\"\": is empty",
		"policy validate nowhere.yaml":      "no such file",

		"invites create --public-url javascript:alert(1)": "want an address such as",
		"bootstrap --public-url ftp://h":                  "want an address such as",
		"bootstrap --public-url https://user@h":           "want an address such as",
		"bootstrap --public-url https://h/path":           "without a path",
	} {
		_, err := do(t, strings.Fields(args)...)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestAGroupAloneListsItsVerbs(t *testing.T) {
	for _, args := range [][]string{{"keys"}, {"keys", "--help"}, {"keys", "help"}, {"help", "keys"}} {
		_, err := do(t, args...)
		var help *config.Help
		require.ErrorAs(t, err, &help, args)
		require.Contains(t, help.Usage, "signalbox keys rotate KEY")
		require.NotContains(t, help.Usage, "signalbox accounts")
	}
}

func TestNobodyIsThere(t *testing.T) {
	var nobody *unreachable
	_, err := do(t, "accounts", "list", "--data", t.TempDir())
	require.ErrorAs(t, err, &nobody)
	require.ErrorContains(t, err, "no signalbox is running on the data directory")
	_, err = do(t, "accounts", "list", "--server", "127.0.0.1:1")
	require.ErrorAs(t, err, &nobody)
	require.ErrorContains(t, err, "127.0.0.1:1 cannot be reached: ")
	require.NotContains(t, err.Error(), "desc =")
	_, err = do(t, "accounts", "list", "--data", "/"+strings.Repeat("long/", 30))
	require.ErrorAs(t, err, &nobody)
	require.ErrorContains(t, err, "at most")
}

// Nobody is asked where nobody can be.
func TestTheNullDeviceIsNoTerminal(t *testing.T) {
	for name, want := range map[string]bool{os.DevNull: false, "/dev/ptmx": true, t.TempDir(): false} {
		f, err := os.Open(name)
		require.NoError(t, err)
		require.Equal(t, want, terminal(f), name)
		require.NoError(t, f.Close())
	}
}

func TestLinks(t *testing.T) {
	data := t.TempDir()
	require.Equal(t, "http://127.0.0.1:8081/p?token=a%2Bb", (&operator{data: data}).link("/p", "a+b"))
	require.NoError(t, os.WriteFile(filepath.Join(data, "address"), []byte("http://127.0.0.1:9\n"), 0o600))
	require.Equal(t, "http://127.0.0.1:9/p?token=t", (&operator{data: data}).link("/p", "t"))
	require.Equal(t, "http://127.0.0.1:8081/p?token=t", (&operator{data: data, server: "h:1"}).link("/p", "t"))
	var o operator
	require.NoError(t, origin(&o.public)("https://signalbox.example.com/"))
	require.Equal(t, "https://signalbox.example.com/p?token=t", o.link("/p", "t"))
}

func TestAQuestionIsAsked(t *testing.T) {
	ask := func(answers bool, typed string) (string, error) {
		var shown bytes.Buffer
		o := &operator{call: call{in: strings.NewReader(typed), err: &shown, answers: answers}}
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
	require.ErrorIs(t, err, errNotAsked)
	_, err = ask(false, "y\n")
	require.ErrorIs(t, err, errNotAsked)
	require.NoError(t, (&operator{yes: true}).confirm(context.Background(), "End it?"))
}
