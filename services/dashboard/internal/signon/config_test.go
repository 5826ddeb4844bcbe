package signon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const valid = `issuers:
- name: acme
  issuer: https://login.example.com
  client_id: signalbox
  client_secret: env:SECRET
  account: operator
  roles: {owner: [admins], viewer: [all]}
`

func load(t *testing.T, text string) ([]Issuer, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sso.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return Load(path, func(name string) (string, bool) { return "secret", name == "SECRET" })
}

func TestLoad(t *testing.T) {
	all, err := load(t, valid)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, "acme", all[0].Label)
	require.Equal(t, "groups", all[0].GroupsClaim)
	require.Equal(t, "secret", all[0].secret)
	require.Equal(t, "owner", all[0].roleOf([]string{"all", "admins"}))
	require.Equal(t, "viewer", all[0].roleOf([]string{"all"}))
	require.Empty(t, all[0].roleOf([]string{"Admins"}))
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ old, new, problem string }{
		{"name: acme", "name: A/B", "name must have"},
		{"https://login", "http://login", "must start with https://"},
		{"https://login.example.com", "https://u:p@login.example.com", "must be a URL"},
		{"client_id: signalbox", "client_id: ''", "client_id is missing"},
		{"account: operator", "account: ''", "account is missing"},
		{"env:SECRET", "env:OTHER", "OTHER is not set"},
		{"env:SECRET", "secret", "must be a reference"},
		{"env:SECRET", "file:/does/not/exist", "client_secret"},
		{"env:SECRET", "file:/dev/null", "is empty"},
		{"owner: [admins]", "boss: [admins]", `"boss" is not a role`},
		{"roles: {owner: [admins], viewer: [all]}", "default_role: boss", "default_role must be"},
		{"  roles: {owner: [admins], viewer: [all]}\n", "", "no person has a role"},
		{"name: acme", "name: acme\n  password: x", "password"},
		{"issuers:\n", "issuers:\n" + strings.TrimPrefix(valid, "issuers:\n"), "listed twice"},
	} {
		_, err := load(t, strings.Replace(valid, c.old, c.new, 1))
		require.ErrorContains(t, err, c.problem)
	}
	_, err := load(t, "issuers: []")
	require.ErrorContains(t, err, "no issuer")
	_, err = New(nil, nil, nil)
	require.ErrorContains(t, err, "--public-url")
}

// Older states are forgotten, so that the memory stays bounded.
func TestUsedStatesAreBounded(t *testing.T) {
	var u usedStates
	require.True(t, u.add("first"))
	require.False(t, u.add("first"))
	for i := range maxUsedStates {
		require.True(t, u.add(string(rune(0x10000+i))))
	}
	require.Len(t, u.seen, maxUsedStates)
	require.True(t, u.add("first"))
}
