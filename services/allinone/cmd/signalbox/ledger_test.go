package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startGateway starts the gateway as main does. It returns the data directory, the
// base URL and the first key.
func startGateway(t *testing.T) (data, base, key string) {
	t.Helper()
	data, err := os.MkdirTemp("", "cli") // a short name, for the socket
	require.NoError(t, err)
	shown, out := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		args := []string{"--listen", "127.0.0.1:0", "--data", data}
		ended <- dispatch(ctx, invocation{args: args, in: strings.NewReader(""), out: out, err: io.Discard})
		_ = out.Close()
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, os.RemoveAll(data))
	})
	var greeting strings.Builder
	lines := bufio.NewReader(shown)
	for !strings.Contains(greeting.String(), "curl ") {
		line, err := lines.ReadString('\n')
		require.NoError(t, err, greeting.String())
		greeting.WriteString(line)
	}
	return data, regexp.MustCompile(`http://[0-9.:]+`).FindString(greeting.String()), regexp.MustCompile(`sbx_live_\w+`).FindString(greeting.String())
}

// sendChat sends a request with the key and returns its id.
func sendChat(t *testing.T, base, key, model string) string {
	t.Helper()
	body := `{"model":"` + model + `","messages":[{"role":"user","content":"Say hello"}]}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/proxy/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.Header.Get("X-Request-Id")
}

// TestReportsListsAndExportsAgree checks that the reports, the lists and an export contain the
// same amounts.
func TestReportsListsAndExportsAgree(t *testing.T) {
	data, base, key := startGateway(t)
	ids := []string{sendChat(t, base, key, "auto"), sendChat(t, base, key, "auto"), sendChat(t, base, key, "no-such-model")}
	page := items[requestView]{}
	require.Eventually(t, func() bool {
		out, err := runOffline(t, "requests", "list", "--json", "--data", data)
		return err == nil && json.Unmarshal([]byte(out), &page) == nil && len(page.Items) == len(ids)
	}, 20*time.Second, 20*time.Millisecond)

	var i impactReport
	out, _ := run(t, "savings", "--by", "model", "--json", "--data", data)
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
	out, _ = run(t, "savings", "--by", "model", "--data", data)
	require.Regexp(t, `(?m)^Saved +`+regexp.QuoteMeta(formatUSD(i.Saved))+` `, out)
	require.Regexp(t, `(?m)^MODEL +REQUESTS +ROUTED`, out)
	require.Contains(t, out, "(none)", "the refused one")

	file := filepath.Join(t.TempDir(), "all.csv")
	run(t, "export", "--out", file, "--data", data)
	rows := column(t, file, "saved_nano_usd")
	require.Len(t, rows, len(ids))
	require.Equal(t, i.Saved, sum(t, rows))
	out, _ = run(t, "export", "verify", file)
	require.Contains(t, out, "OK 3 rows")

	out, _ = run(t, "requests", "show", ids[0], "--data", data)
	require.Contains(t, out, "ATTEMPT")
	out, _ = run(t, "requests", "list", "--filter", "outcome:rejected", "--data", data)
	require.Equal(t, 2, strings.Count(out, "\n"), out)
	out, _ = run(t, "ledger", "completeness", "--data", data)
	require.Regexp(t, `(?m)^all +3 +3 +0 +0 +0 +0$`, out)
	out, _ = run(t, "ledger", "dead-letters", "--data", data)
	require.Equal(t, 1, strings.Count(out, "\n"), out)
	out, _ = run(t, "ledger", "replay", "--all", "--data", data)
	require.Regexp(t, `(?m)^Stored +0$`, out)

	_, err := runOffline(t, "requests", "show", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--data", data)
	require.ErrorContains(t, err, "(NOT_FOUND)")
	_, err = runOffline(t, "savings", "--filter", "colour:red", "--data", data)
	require.ErrorContains(t, err, "colour")
	require.ErrorContains(t, err, "(INVALID_REQUEST)")
	_, err = runOffline(t, "savings", "--account", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "--data", data)
	require.ErrorContains(t, err, "no such account (NOT_FOUND)")
	info, err := os.Stat(filepath.Join(data, "dashboard.sock"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestAnExportThatWasChanged(t *testing.T) {
	data, base, key := startGateway(t)
	id := sendChat(t, base, key, "auto")
	require.Eventually(t, func() bool {
		_, err := runOffline(t, "requests", "show", id, "--data", data)
		return err == nil
	}, 20*time.Second, 20*time.Millisecond)
	file := filepath.Join(t.TempDir(), "all.ndjson")
	run(t, "export", "--out", file, "--format", "ndjson", "--data", data)
	rows, err := os.ReadFile(file)
	require.NoError(t, err)
	_, errs := run(t, "export", "verify", file)
	require.Contains(t, errs, "Their rows may have arrived since")
	for _, taken := range []string{file, manifestPath(file)} {
		require.NoError(t, os.Rename(taken, file+".away"))
		_, err = runOffline(t, "export", "--out", file, "--format", "ndjson", "--data", data)
		require.ErrorContains(t, err, "already exists")
		require.NoError(t, os.Rename(file+".away", taken))
	}
	run(t, "export", "--out", file, "--format", "ndjson", "--force", "--data", data)
	require.NoError(t, os.WriteFile(file, bytes.Replace(rows, []byte(`"status":200`), []byte(`"status":500`), 1), 0o600))
	out, err := runOffline(t, "export", "verify", file)
	require.ErrorIs(t, err, errAltered)
	require.Contains(t, out, "altered    row 1  "+id)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	out, err = runOffline(t, "export", "verify", file)
	require.ErrorIs(t, err, errAltered)
	require.Contains(t, out, "missing    row 1  "+id)
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	require.Len(t, left, 2, "no parts are left behind")
	_, err = runOffline(t, "export", "verify", file, "--manifest", file)
	require.Error(t, err)
	_, err = runOffline(t, "export", "--data", data)
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

func TestMoneyIsShownExactly(t *testing.T) {
	require.Equal(t, "$1.50", formatUSD(1_500_000_000))
	require.Equal(t, "-$0.000000001", formatUSD(-1))
	require.Equal(t, "unpriced", formatOptionalUSD(nil))
	require.Equal(t, "-", formatSavedPercent(costSums{Saved: -5}))
	require.Equal(t, "-50%", formatSavedPercent(costSums{Saved: -5, Baseline: 10}))
	require.Equal(t, "33.3%", formatSavedPercent(costSums{Saved: 1, Baseline: 3}))
}
