package e2e

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// deploy/scripts/release-check sets these flags.
var (
	previousFlag     = flag.String("previous", "", "all-in-one binary of the previous version, to which signalbox downgrade leads")
	savePreviousFlag = flag.Bool("save-previous", false, "write a store that the previous version has filled to testdata/previous")
)

// The committed store of the previous version, and what it contains.
const (
	previousBackup = "testdata/previous/backup.tar.gz"
	previousCensus = "testdata/previous/census.json"
)

// upgradeRig starts different versions on the same stores.
type upgradeRig struct {
	t     *testing.T
	data  string
	flags []string
	// stored is what must be in the stores.
	stored census
}

// run starts a version, checks that it has everything that was stored before, and adds to it.
func (r *upgradeRig) run(binary string) {
	r.t.Helper()
	b := launchBinary(r.t, binary, nil, r.data, append([]string{"--retention-days", "0", "--content-days", "0"}, r.flags...)...)
	r.t.Cleanup(b.checkOutput)
	if r.stored.Key == "" {
		r.stored.Key = b.Key
	}
	b.Key = r.stored.Key
	b.SignInOperator()
	before := takeCensus(b, binary)
	before.requireContains(r.t, r.stored)
	fillStores(b, binary)
	r.stored = takeCensus(b, binary)
	r.stored.requireContains(r.t, before)
	b.Terminate()
	require.Zero(r.t, b.Wait())
}

func (r *upgradeRig) downgrade() commandResult {
	return runCLI(r.t, append([]string{"downgrade", "--yes", "--data", r.data}, r.flags...)...)
}

// schemasChanged reports whether this version has migrations that the previous version does not have.
func schemasChanged(t *testing.T) bool {
	t.Helper()
	res := runCLI(t, "version", "--json")
	require.Zero(t, res.code, res.err)
	var build struct {
		Stores []struct {
			Schema   int
			Previous int `json:"downgrade_to"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(res.out), &build))
	require.Len(t, build.Stores, 3)
	for _, s := range build.Stores {
		if s.Schema > s.Previous {
			return true
		}
	}
	return false
}

// requireRefused requires that a version opens no stores with migrations that it does not know.
func (r *upgradeRig) requireRefused(binary string) {
	r.t.Helper()
	res := runBinary(r.t, binary, append([]string{"doctor", "--listen", "127.0.0.1:0", "--data", r.data}, r.flags...)...)
	require.Equal(r.t, 1, res.code)
	require.Contains(r.t, res.out+res.err, "newer version")
}

// A store that the previous version filled is upgraded, downgraded and upgraded again. The
// previous version itself takes part in TestPreviousVersion, which needs minutes to build it.
func TestUpgradeAndDowngrade(t *testing.T) {
	t.Parallel()
	r := &upgradeRig{t: t, data: filepath.Join(t.TempDir(), "data")}
	text, err := os.ReadFile(previousCensus)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r.stored))
	require.Len(t, r.stored.Requests, 10)
	restored := runCLI(t, "restore", previousBackup, "--data", r.data)
	require.Zero(t, restored.code, restored.err)
	r.run(signalboxPath)
	down := r.downgrade()
	require.Zero(t, down.code, down.err)
	if schemasChanged(t) {
		require.Contains(t, down.out, "took back")
	}
	require.Contains(t, r.downgrade().out, "unchanged")
	r.run(signalboxPath)
}

// TestPreviousVersion lets the previous version fill stores, and then changes versions.
func TestPreviousVersion(t *testing.T) {
	if *previousFlag == "" {
		t.Skip("make release runs it")
	}
	for _, store := range []string{"sqlite", "postgres"} {
		t.Run(store, func(t *testing.T) {
			r := &upgradeRig{t: t, data: t.TempDir()}
			if store == "postgres" {
				r.flags = []string{"--postgres-url", newPostgres(t).URL}
			}
			r.run(*previousFlag)
			r.run(signalboxPath)
			if schemasChanged(t) {
				r.requireRefused(*previousFlag)
			}
			down := r.downgrade()
			require.Zero(t, down.code, down.err)
			r.run(*previousFlag)
			r.run(signalboxPath)
			t.Logf("release| %s: %d requests and %d keys kept through upgrade, downgrade and upgrade", store, len(r.stored.Requests), len(r.stored.Keys))
		})
	}
}

// A downgrade must not change stores that a process uses.
func TestDowngradeRefusesARunningGateway(t *testing.T) {
	t.Parallel()
	b := StartAllInOne(t)
	down := runCLI(t, "downgrade", "--yes", "--data", b.Data)
	require.Equal(t, 1, down.code)
	require.Contains(t, down.err, "is in use by another signalbox")
	status, _ := b.NewVisitor().CallWithPassword("/login", map[string]string{"email": OperatorEmail, "password": OperatorPassword}, nil)
	require.Equal(t, http.StatusOK, status)
}

// TestSavePreviousStore writes the committed store.
func TestSavePreviousStore(t *testing.T) {
	if !*savePreviousFlag {
		t.Skip("only with -save-previous")
	}
	r := &upgradeRig{t: t, data: t.TempDir()}
	r.run(*previousFlag)
	require.NoError(t, os.MkdirAll(filepath.Dir(previousBackup), 0o755))
	_ = os.Remove(previousBackup)
	saved := runBinary(t, *previousFlag, "backup", "--data", r.data, "--out", previousBackup)
	require.Zero(t, saved.code, saved.err)
	text, err := json.MarshalIndent(r.stored, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(previousCensus, append(text, '\n'), 0o600))
}
