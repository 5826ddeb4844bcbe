package ledger

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/services/allinone/internal/cli"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/clitest"
)

var commands = clitest.Commands(Commands())

// TestReportsListsAndExportsAgree checks that the reports, the lists and an export contain the
// same amounts.
func TestReportsListsAndExportsAgree(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	ids := []string{clitest.SendChat(t, base, key, "auto"), clitest.SendChat(t, base, key, "auto"), clitest.SendChat(t, base, key, "no-such-model")}
	page := cli.List[requestView]{}
	require.Eventually(t, func() bool {
		out, err := commands.RunOffline(t, "requests", "list", "--json", "--data", data)
		return err == nil && json.Unmarshal([]byte(out), &page) == nil && len(page.Items) == len(ids)
	}, 20*time.Second, 20*time.Millisecond)

	var i impactReport
	out, _ := commands.Run(t, "savings", "--by", "model", "--json", "--data", data)
	require.NoError(t, json.Unmarshal([]byte(out), &i))
	require.EqualValues(t, len(ids), i.Requests)
	require.Positive(t, i.Routed)
	require.Equal(t, i.Baseline-i.Routed, i.Saved)
	var listed, grouped int64
	for _, r := range page.Items {
		listed += *r.Saved
	}
	for _, g := range i.Groups {
		grouped += g.Saved
	}
	require.Equal(t, i.Saved, listed)
	require.Equal(t, i.Saved, grouped)
	out, _ = commands.Run(t, "savings", "--by", "model", "--data", data)
	require.Regexp(t, `(?m)^Saved +`+regexp.QuoteMeta(cli.FormatUSD(i.Saved))+` `, out)
	require.Regexp(t, `(?m)^MODEL +REQUESTS +ROUTED`, out)
	require.Contains(t, out, "(none)", "the refused one")

	file := filepath.Join(t.TempDir(), "all.csv")
	commands.Run(t, "export", "--out", file, "--data", data)
	rows := column(t, file, "saved_nano_usd")
	require.Len(t, rows, len(ids))
	require.Equal(t, i.Saved, sum(t, rows))
	out, _ = commands.Run(t, "export", "verify", file)
	require.Contains(t, out, "OK 3 rows")

	out, _ = commands.Run(t, "requests", "show", ids[0], "--data", data)
	require.Contains(t, out, "ATTEMPT")
	require.Regexp(t, `(?m)^Because +short request in plain language \(easier\)`, out)
	require.Regexp(t, `(?m)^sandbox/sandbox-small +0\.94 \(0\.77–1\.00\) +\$0\.\d+ +512 +\S+ +First choice`, out)
	out, _ = commands.Run(t, "requests", "list", "--filter", "outcome:rejected", "--data", data)
	require.Equal(t, 2, strings.Count(out, "\n"), out)
	out, _ = commands.Run(t, "ledger", "completeness", "--data", data)
	require.Regexp(t, `(?m)^all +3 +3 +0 +0 +0 +0$`, out)
	out, _ = commands.Run(t, "ledger", "dead-letters", "--data", data)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	out, _ = commands.Run(t, "ledger", "replay", "--all", "--data", data)
	require.Regexp(t, `(?m)^Stored +0$`, out)

	_, err := commands.RunOffline(t, "requests", "show", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--data", data)
	require.ErrorContains(t, err, "(NOT_FOUND)")
	_, err = commands.RunOffline(t, "savings", "--filter", "colour:red", "--data", data)
	require.ErrorContains(t, err, "colour")
	require.ErrorContains(t, err, "(INVALID_REQUEST)")
	_, err = commands.RunOffline(t, "savings", "--account", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--data", data)
	require.ErrorContains(t, err, "no such account (NOT_FOUND)")
	info, err := os.Stat(filepath.Join(data, "dashboard.sock"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAnExportThatWasChanged(t *testing.T) {
	data, base, key := clitest.StartGateway(t)
	id := clitest.SendChat(t, base, key, "auto")
	require.Eventually(t, func() bool {
		_, err := commands.RunOffline(t, "requests", "show", id, "--data", data)
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	file := filepath.Join(t.TempDir(), "all.ndjson")
	commands.Run(t, "export", "--out", file, "--format", "ndjson", "--data", data)
	rows, err := os.ReadFile(file)
	require.NoError(t, err)
	_, errs := commands.Run(t, "export", "verify", file)
	require.Contains(t, errs, "Their rows may have arrived since")
	for _, taken := range []string{file, manifestPath(file)} {
		require.NoError(t, os.Rename(taken, file+".away"))
		_, err = commands.RunOffline(t, "export", "--out", file, "--format", "ndjson", "--data", data)
		require.ErrorContains(t, err, "already exists")
		require.NoError(t, os.Rename(file+".away", taken))
	}
	commands.Run(t, "export", "--out", file, "--format", "ndjson", "--force", "--data", data)
	require.NoError(t, os.WriteFile(file, bytes.Replace(rows, []byte(`"status":200`), []byte(`"status":500`), 1), 0o600))
	out, err := commands.RunOffline(t, "export", "verify", file)
	require.ErrorIs(t, err, errAltered)
	require.Contains(t, out, "altered    row 1  "+id)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	out, err = commands.RunOffline(t, "export", "verify", file)
	require.ErrorIs(t, err, errAltered)
	require.Contains(t, out, "missing    row 1  "+id)
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, left, 2, "no parts are left behind")
	_, err = commands.RunOffline(t, "export", "verify", file, "--manifest", file)
	require.Error(t, err)
	_, err = commands.RunOffline(t, "export", "--data", data)
	require.ErrorContains(t, err, "--out is missing")
}

func column(t *testing.T, file, name string) (values []string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for i, header := range rows[0] {
		if header == name {
			for _, row := range rows[1:] {
				values = append(values, row[i])
			}
		}
	}
	return values
}

func sum(t *testing.T, values []string) (total int64) {
	t.Helper()
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		require.NoError(t, err)
		total += n
	}
	return total
}
