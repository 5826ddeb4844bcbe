package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/signalbox/signalbox/pkg/testkit/testenv"
)

// archiveRig is a ledger in Postgres and the folder that deploy/scripts/archive fills.
type archiveRig struct {
	url, folder, tools string
}

func newArchiveRig(t *testing.T) *archiveRig {
	t.Helper()
	server, err := testenv.StartPostgres()
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	python, err := exec.CommandContext(t.Context(), "../scripts/clients", "python", "archive").Output()
	require.NoError(t, err)
	runProgram(t, signalboxPath, "doctor", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--postgres-url", server.URL)
	return &archiveRig{url: server.URL, folder: t.TempDir(), tools: filepath.Dir(strings.TrimSpace(string(python)))}
}

// run runs a program with psql and duckdb in its PATH. first is searched before them.
func (r *archiveRig) run(t *testing.T, first string, args ...string) (string, error) {
	t.Helper()
	postgres, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	path := strings.Join(append([]string{first, r.tools, os.Getenv("PATH")}, postgres...), ":")
	cmd.Env = append(os.Environ(), "PATH="+path, "SIGNALBOX_POSTGRES_URL="+r.url)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (r *archiveRig) archive(t *testing.T) string {
	t.Helper()
	out, err := r.run(t, "", "../scripts/archive", r.folder)
	require.NoError(t, err, out)
	return out
}

// insert stores requests of a day, beginning with the first-th.
func (r *archiveRig) insert(t *testing.T, daysAgo, first, last int) {
	t.Helper()
	statement := fmt.Sprintf(`INSERT INTO dashboard.requests (id, day, time_us, account_id, key_id, key_name, endpoint, requested_model, model, provider,
		route, outcome, reason_code, status, code, error, stream, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens,
		cost_nano_usd, baseline_model, latency_us, ttft_us, gateway_us, policy_version, record)
		SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), day, day * 86400000000 + n, 'acc', '', E'a,"b"\n', 'chat', 'auto', 'm', 'p',
		'expected', 'ok', '', 200, '', '', 0, n, 0, 0, 1, 0, NULLIF(n, 3), '', 9, 0, 1, 'v', '\x00ff'
		FROM generate_series(%d, %d) n, (SELECT CAST(extract(epoch FROM now()) AS BIGINT) / 86400 - %d AS day) d`, first, last, daysAgo)
	out, err := r.run(t, "", "psql", r.url, "-v", "ON_ERROR_STOP=1", "-c", statement)
	require.NoError(t, err, out)
}

// query asks DuckDB about all archived requests.
func (r *archiveRig) query(t *testing.T, columns string) string {
	t.Helper()
	out, err := r.run(t, "", filepath.Join(r.tools, "duckdb"), "-noheader", "-list", "-c", "SELECT "+columns+" FROM '"+r.folder+"/*/requests.parquet'")
	require.NoError(t, err, out)
	return strings.TrimSpace(out)
}

func (r *archiveRig) file(daysAgo int) string {
	return filepath.Join(r.folder, "day="+time.Now().UTC().AddDate(0, 0, -daysAgo).Format(time.DateOnly), "requests.parquet")
}

func TestArchive(t *testing.T) {
	t.Parallel()
	r := newArchiveRig(t)
	require.Empty(t, r.archive(t), "an empty ledger")
	r.insert(t, 2, 1, 5)
	r.insert(t, 1, 6, 8)
	r.insert(t, 0, 9, 9)
	require.Equal(t, r.file(2)+" 5\n"+r.file(1)+" 3\n", r.archive(t), "today is not finished")
	require.Equal(t, "8|8|36|1", r.query(t, "count(*), count(DISTINCT id), sum(input_tokens), count(*) FILTER (WHERE cost_nano_usd IS NULL)"))
	require.Equal(t, "true|true|true|true|true", r.query(t, `bool_and(key_name = E'a,"b"\n'), bool_and(error = ''), bool_and(record = '\x00\xFF'::BLOB),
		bool_and(CAST(time AS DATE) = day), bool_and(id::VARCHAR LIKE '00000000-0000-0000-0000-%')`))
	require.Empty(t, r.archive(t), "nothing is copied twice")

	// A record of a proxy that was offline arrives late.
	r.insert(t, 2, 10, 10)
	require.Equal(t, r.file(2)+" 6\n", r.archive(t))
	require.Equal(t, "9|9", r.query(t, "count(*), count(DISTINCT id)"))

	// Retention deletes rows. Their file stays.
	out, err := r.run(t, "", "psql", r.url, "-c", "DELETE FROM dashboard.requests WHERE input_tokens = 1")
	require.NoError(t, err, out)
	require.Empty(t, r.archive(t))
	require.Equal(t, "9|9", r.query(t, "count(*), count(DISTINCT id)"))
}

// If a copy ends early, for whatever reason, the day keeps its last complete file and is copied again.
func TestArchiveAfterACrash(t *testing.T) {
	t.Parallel()
	r := newArchiveRig(t)
	r.insert(t, 1, 1, 5)
	r.archive(t)
	r.insert(t, 1, 6, 9)
	for name, fault := range map[string]string{
		"the copy fails":       `case "$*" in *COPY*) "$real" "$@" | head -3; exit 1 ;; *) exec "$real" "$@" ;; esac`,
		"the copy is short":    `case "$*" in *COPY*) "$real" "$@" | head -3 ;; *) exec "$real" "$@" ;; esac`,
		"the script is killed": `case "$*" in *COPY*) kill -9 $(ps -o ppid= -p $PPID) ;; *) exec "$real" "$@" ;; esac`,
	} {
		real, err := exec.LookPath("psql")
		require.NoError(t, err)
		broken := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(broken, "psql"), []byte("#!/bin/sh\nreal="+real+"\n"+fault+"\n"), 0o700))
		_, err = r.run(t, broken, "../scripts/archive", r.folder)
		require.Error(t, err, name)
		require.Equal(t, "5|5", r.query(t, "count(*), count(DISTINCT id)"), name)
	}
	truncates := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(truncates, "duckdb"), []byte(`#!/bin/sh
`+filepath.Join(r.tools, "duckdb")+` "$@" || exit
case "$*" in *COPY*) truncate --size=300 '`+r.file(1)+`.new' ;; esac
`), 0o700))
	_, err := r.run(t, truncates, "../scripts/archive", r.folder)
	require.Error(t, err, "the copy cannot be read")
	require.Equal(t, "5|5", r.query(t, "count(*), count(DISTINCT id)"))

	require.Equal(t, r.file(1)+" 9\n", r.archive(t))
	require.Equal(t, "9|9", r.query(t, "count(*), count(DISTINCT id)"))
}

// A damaged file does not keep later days, or its own, from being copied.
func TestArchiveReplacesADamagedFile(t *testing.T) {
	t.Parallel()
	r := newArchiveRig(t)
	r.insert(t, 2, 1, 5)
	r.archive(t)
	require.NoError(t, os.Truncate(r.file(2), 300))
	r.insert(t, 1, 6, 8)
	out, err := r.run(t, "", "../scripts/archive", r.folder)
	require.NoError(t, err, out)
	require.Contains(t, out, r.file(2)+" 5\n"+r.file(1)+" 3\n")
	require.Equal(t, "8|8", r.query(t, "count(*), count(DISTINCT id)"))
	info, err := os.Stat(r.file(2))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "others cannot read the records")
	info, err = os.Stat(r.file(2) + ".damaged")
	require.NoError(t, err, "Postgres may have fewer rows than the damaged file had")
	require.EqualValues(t, 300, info.Size())
}

// The arguments of a process are no secret. The parameter pgbouncer is the dashboard's.
func TestArchiveHidesThePassword(t *testing.T) {
	t.Parallel()
	r := &archiveRig{url: `postgres://ann:p%40s\t@db.example:5432/ledger?pgbouncer=true&sslmode=require`, folder: t.TempDir()}
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "psql"), []byte("#!/bin/sh\nprintf '%s %s\\n' \"$1\" \"$PGPASSWORD\" >&2\nexit 2\n"), 0o700))
	out, err := r.run(t, tools, "../scripts/archive", r.folder)
	require.Error(t, err)
	require.Equal(t, "postgres://ann@db.example:5432/ledger?sslmode=require p@s\\t\n", out)
}

func TestArchiveRunsOnce(t *testing.T) {
	t.Parallel()
	r := &archiveRig{url: "postgres://nobody@127.0.0.1:1/none", folder: t.TempDir()}
	lock, err := os.Open(r.folder)
	require.NoError(t, err)
	defer lock.Close()
	require.NoError(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	out, err := r.run(t, "", "../scripts/archive", r.folder)
	require.Error(t, err)
	require.Contains(t, out, "another run")
}
