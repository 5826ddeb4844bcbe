package secretrules_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/router/internal/secretrules"
)

const (
	openai    = "https://api.openai.com/v1"
	elsewhere = "https://attacker.example/v1"
)

func rules(t *testing.T, list, dir string) secretrules.Rules {
	cat, err := catalog.Load()
	require.NoError(t, err)
	r, err := secretrules.New(cat, list, dir)
	require.NoError(t, err)
	return r
}

func TestCatalogCredentialsAreAllowedAtTheirOwnAddressOnly(t *testing.T) {
	r := rules(t, "", "")
	require.True(t, r.Allow("env:OPENAI_API_KEY", openai))
	require.False(t, r.Allow("env:OPENAI_API_KEY", elsewhere))
	require.False(t, r.Allow("env:ANTHROPIC_API_KEY", openai))
	require.False(t, r.Allow("env:AZURE_OPENAI_API_KEY", ""), "the catalog has no address for it")
	require.False(t, r.Allow("env:PATH", openai))
	require.False(t, r.Allow("file:/etc/passwd", openai))
	require.False(t, secretrules.Rules{}.Allow("env:OPENAI_API_KEY", openai))
}

func TestListedSecretsAreAllowedAnywhere(t *testing.T) {
	r := rules(t, "env:ACME, env:UP_*,file:/etc/acme/key", "/run/secrets/")
	for ref, want := range map[string]bool{
		"env:ACME": true, "env:ACME2": false, "env:UP_1": true, "env:UP": false,
		"file:/etc/acme/key": true, "file:/etc/acme/key2": false,
		"file:/run/secrets/a": true, "file:/run/secrets/a/b": true, "file:/run/secrets": false, "file:/run/secrets2/a": false,
		"file:/run/secrets/../passwd": false, "file:/run/secrets//a": false,
	} {
		require.Equal(t, want, r.Allow(ref, elsewhere), ref)
	}
	require.True(t, rules(t, "env:*", "").Allow("env:ANY", elsewhere))
	require.False(t, rules(t, "env:*", "").Allow("file:/any", elsewhere))
	require.False(t, rules(t, "file:/run/*", "").Allow("file:/run/../etc/passwd", elsewhere))
}

func TestSettingsThatAllowNothingAreRefused(t *testing.T) {
	cat, err := catalog.Load()
	require.NoError(t, err)
	for _, list := range []string{"ACME", "env:", "file:key", "*", "env:A B"} {
		_, err = secretrules.New(cat, list, "")
		require.ErrorContains(t, err, "--policy-secrets", list)
	}
	_, err = secretrules.New(cat, "", "secrets")
	require.ErrorContains(t, err, "--policy-secrets-dir")
}
