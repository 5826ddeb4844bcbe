package allinone

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// running is an all-in-one that a test has started.
type running struct {
	base, key string
	stop      func()
}

func start(t *testing.T, data string) *running {
	t.Helper()
	cfg, err := LoadConfig([]string{"--listen", "127.0.0.1:0", "--data", data}, nil)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	shown, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, cfg, nil, out, io.Discard)
		_ = out.Close()
		ended <- err
	}()
	greeting := readGreeting(t, bufio.NewReader(shown))
	go func() { _, _ = io.Copy(io.Discard, shown) }()
	return &running{
		base: regexp.MustCompile(`http://127[^/]+`).FindString(greeting),
		key:  regexp.MustCompile(`sbx_live_\w+`).FindString(greeting),
		stop: func() {
			cancel()
			require.NoError(t, <-ended)
		},
	}
}

// chat sends a request with a header, if any, and returns its id.
func (r *running) chat(t *testing.T, header ...string) string {
	t.Helper()
	body := strings.NewReader(`{"model":"auto","messages":[{"role":"user","content":"hi"}]}`)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.base+"/proxy/v1/chat/completions", body)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+r.key)
	req.Header.Set("Content-Type", "application/json")
	for pair := range slices.Chunk(header, 2) {
		req.Header.Set(pair[0], pair[1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	return res.Header.Get("x-request-id")
}

func storedRequests(t *testing.T, data string) (ids []string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "records.db"))
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SELECT lower(hex(id)) FROM requests`)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, rows.Err())
	return ids
}

func archive(t *testing.T, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Backup(t.Context(), data, "test", &b, io.Discard))
	return b.Bytes()
}

func TestRestoredDirectoryContainsEverything(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, data)
	id := first.chat(t)
	taken := archive(t, data) // while the process runs
	first.stop()

	elsewhere := filepath.Join(t.TempDir(), "restored")
	require.NoError(t, Restore(bytes.NewReader(taken), elsewhere))
	require.NotEmpty(t, archive(t, elsewhere), "before it has run")
	second := start(t, elsewhere)
	second.key = first.key
	require.NotEqual(t, id, second.chat(t), "the old key must work")
	second.stop()
	require.Contains(t, storedRequests(t, elsewhere), strings.ReplaceAll(id, "-", ""))
}

// The states of sessions are in the archive, so that a session continues after a restore.
func TestArchiveContainsTheSessions(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	first := start(t, data)
	first.chat(t, "X-Signalbox-Session", "work")
	first.stop() // writes the states
	into := filepath.Join(t.TempDir(), "restored")
	require.NoError(t, Restore(bytes.NewReader(archive(t, data)), into))
	second := start(t, into)
	defer second.stop()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, second.base+"/proxy/v1/session?id=work", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+first.key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(text))
	require.Contains(t, string(text), `"turns":1`)
}

// A record that is only in the spool is in no store: a running process may not
// have delivered it yet, and a killed one never did.
func TestArchiveContainsTheSpool(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	start(t, data).stop()
	segment := filepath.Join("spool", "0198c0de-7d5a-7000-8000-3f0a5e1b2c3d", "0000000001.seg")
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(data, segment)), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, segment), []byte("frames"), 0o600))
	into := filepath.Join(t.TempDir(), "restored")
	require.NoError(t, Restore(bytes.NewReader(archive(t, data)), into))
	restored, err := os.ReadFile(filepath.Join(into, segment))
	require.NoError(t, err)
	require.Equal(t, "frames", string(restored))
}

func TestADamagedArchiveRestoresNothing(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	p.stop()
	taken := archive(t, data)
	flipped := bytes.Clone(taken)
	flipped[len(flipped)/2] ^= 1
	for name, bad := range map[string][]byte{
		"cut off": taken[:len(taken)-40], "flipped": flipped, "empty": nil, "no archive": []byte("hello"),
	} {
		into := filepath.Join(t.TempDir(), "d")
		require.Error(t, Restore(bytes.NewReader(bad), into), name)
		require.NoDirExists(t, into, name)
		left, err := os.ReadDir(filepath.Dir(into))
		require.NoError(t, err)
		require.Empty(t, left, name)
	}
}

func TestRestoreNeverWritesOverState(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	p.stop()
	require.ErrorContains(t, Restore(bytes.NewReader(archive(t, data)), data), "not empty")
}

// TestAbandonedTempDirsAreRemoved also checks that locked and unrelated directories stay.
func TestAbandonedTempDirsAreRemoved(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	p := start(t, data)
	p.stop()
	beside := filepath.Dir(data)
	names := []string{
		filepath.Join(data, ".backup-1"), filepath.Join(data, ".backup-2"), filepath.Join(data, "backup-3"),
		filepath.Join(beside, ".restored-restore-1"), filepath.Join(beside, ".restored-restore-2"), filepath.Join(beside, ".other-restore-3"),
	}
	for i, name := range names {
		require.NoError(t, os.MkdirAll(filepath.Join(name, "spool"), 0o700))
		if i%3 == 1 {
			living, err := lockDir(name)
			require.NoError(t, err)
			defer func() { _ = living.Close() }()
		}
	}
	require.NoError(t, Restore(bytes.NewReader(archive(t, data)), filepath.Join(beside, "restored")))
	for i, name := range names {
		if i%3 == 0 {
			require.NoDirExists(t, name)
		} else {
			require.DirExists(t, name)
		}
	}
	left, err := filepath.Glob(filepath.Join(beside, ".restored-restore-*"))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestBackupNeedsADataDirectory(t *testing.T) {
	require.ErrorContains(t, Backup(t.Context(), t.TempDir(), "test", io.Discard, io.Discard), "is not the data directory")
}
