package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone"
)

func TestVersionDescribesTheBuild(t *testing.T) {
	out, err := runOffline(t, "version")
	require.NoError(t, err)
	require.Contains(t, out, "built with")
	require.Contains(t, out, "downgrade to")
	out, err = runOffline(t, "version", "--json")
	require.NoError(t, err)
	var got struct {
		Go       string
		Platform string
		Stores   []struct {
			Service  string
			Schema   int
			Previous int `json:"downgrade_to"`
		}
		Previous string `json:"downgrade_to"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, allinone.PreviousCommit, got.Previous)
	require.Len(t, got.Stores, 3)
	for _, s := range got.Stores {
		require.NotZero(t, s.Previous, s.Service)
		require.GreaterOrEqual(t, s.Schema, s.Previous, s.Service)
	}
	require.Contains(t, got.Platform, "/")
}

// A migration without an undo file makes downgrades impossible. Write one in
// migrations/undo, or say in the release notes that a downgrade needs a backup.
func TestEveryNewMigrationCanBeTakenBack(t *testing.T) {
	for _, url := range []string{"", "postgres://localhost/signalbox"} {
		_, err := allinone.LostByDowngrade(url)
		require.NoError(t, err)
	}
}

func TestCertsCheckFailsBeforeACertificateEnds(t *testing.T) {
	dir := t.TempDir()
	_, err := runOffline(t, "certs", "--dir", dir)
	require.NoError(t, err)
	out, err := runOffline(t, "certs", "check", "--dir", dir)
	require.NoError(t, err)
	require.Contains(t, out, "keyauth")
	out, err = runOffline(t, "certs", "check", "--dir", dir, "--within", "9000h")
	require.ErrorContains(t, err, "run signalbox certs again")
	require.Contains(t, out, "keyauth")
}

func TestDowngradeAsksFirst(t *testing.T) {
	_, err := runOffline(t, "downgrade", "--data", t.TempDir())
	require.ErrorContains(t, err, "add --yes")
	lost, lostErr := allinone.LostByDowngrade("")
	require.NoError(t, lostErr)
	for _, what := range lost {
		require.ErrorContains(t, err, what)
	}
	_, err = runOffline(t, "downgrade", "--yes", "--data", t.TempDir())
	require.ErrorContains(t, err, "is not the data directory of a signalbox")
}
