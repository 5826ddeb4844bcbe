package testenv

import (
	"bufio"
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVar) != "" {
		beChild()
		return
	}
	Main(m)
}

func TestPostgresDatabasesAreFreshAndApart(t *testing.T) {
	first, second := connect(t, Postgres(t)), connect(t, Postgres(t))
	_, err := first.Exec(t.Context(), "CREATE TABLE here (n BIGINT)")
	require.NoError(t, err)

	require.Equal(t, 1, tables(t, first))
	require.Equal(t, 0, tables(t, second))
	var firstDir, secondDir string
	require.NoError(t, first.QueryRow(t.Context(), "SHOW data_directory").Scan(&firstDir))
	require.NoError(t, second.QueryRow(t.Context(), "SHOW data_directory").Scan(&secondDir))
	require.Equal(t, firstDir, secondDir, "one server for the process")
}

func TestPostgresDatabaseIsDroppedAfterTheTest(t *testing.T) {
	var url string
	t.Run("uses one", func(t *testing.T) { url = Postgres(t) })
	_, err := pgx.Connect(t.Context(), url)
	require.ErrorContains(t, err, "does not exist")
}

func TestPostgresIsGoneAfterMain(t *testing.T) {
	server, err := startPostgres()
	require.NoError(t, err)
	server.stop()
	require.NoDirExists(t, server.dir.path)
	_, err = pgx.Connect(t.Context(), server.url("postgres"))
	require.Error(t, err)
}

func TestPostgresServersOfARunAreCopies(t *testing.T) {
	t.Setenv(initVariable, t.TempDir())
	var ids [2]string
	for i := range ids {
		server, err := startPostgres()
		require.NoError(t, err)
		t.Cleanup(server.stop)
		ids[i], err = server.queryText("SELECT system_identifier::text FROM pg_control_system()")
		require.NoError(t, err)
		name, err := server.createDatabase(emptyTemplate)
		require.NoError(t, err)
		require.Equal(t, "test_1", name, "a copy has no databases of another server")
	}
	require.Equal(t, ids[0], ids[1], "initdb ran once")
}

func TestRedisServersAreApart(t *testing.T) {
	first, second := Redis(t), Redis(t)
	require.Equal(t, "+OK", ask(t, first, "SET k v"))
	require.Equal(t, ":1", ask(t, first, "EXISTS k"))
	require.Equal(t, ":0", ask(t, second, "EXISTS k"))
}

func TestRedisTakesArguments(t *testing.T) {
	url := Redis(t, "--requirepass", "word")
	require.Contains(t, ask(t, url, "PING"), "-NOAUTH")
}

func TestRedisStopsWithTheTest(t *testing.T) {
	var url string
	t.Run("uses one", func(t *testing.T) { url = Redis(t) })
	_, err := net.DialTimeout("tcp", redisAddr(url), time.Second)
	require.Error(t, err)
}

func TestRedisThatCannotStartSaysWhy(t *testing.T) {
	_, err := startRedis([]string{"--no-such-setting", "1"})
	require.ErrorContains(t, err, "Bad directive")
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func tables(t *testing.T, conn *pgx.Conn) int {
	t.Helper()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").Scan(&n))
	return n
}

func ask(t *testing.T, url, command string) string {
	t.Helper()
	conn, err := net.DialTimeout("tcp", redisAddr(url), time.Second)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte(command + "\r\n"))
	require.NoError(t, err)
	line, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

func redisAddr(url string) string {
	return strings.TrimSuffix(strings.TrimPrefix(url, "redis://"), "/0")
}
