// Package testenv starts temporary PostgreSQL and Redis servers for tests. Each server has a free loopback
// port and its own directory. The package never uses servers that already run on the machine. If a test
// process crashes, its servers stop with it on Linux, and the next test process removes their directories.
// Shipped code does not import this package.
package testenv

import (
	"strconv"
	"sync"
	"testing"
)

// shared holds the PostgreSQL server that all tests of a process share, because starting one takes a
// second.
var shared struct {
	sync.Mutex
	postgres *postgres
}

// Main runs the tests and then stops the shared PostgreSQL server. Call it from TestMain if tests use
// Postgres. Otherwise the server's directory stays until a later test process removes it.
func Main(m *testing.M) {
	defer stopShared()
	m.Run()
}

// Postgres returns the URL of a new, empty database. The database is dropped when the test ends. The first
// call in a process starts the server.
func Postgres(t testing.TB) string {
	t.Helper()
	server, err := sharedPostgres()
	if err != nil {
		t.Fatalf("testenv: start postgres: %v", err)
	}
	return server.newDatabase(t, emptyTemplate)
}

// Redis returns the URL of a new redis-server, which stops when the test ends. args are passed to
// redis-server. Without args, the server stores nothing on disk.
func Redis(t testing.TB, args ...string) string {
	t.Helper()
	server, err := startRedis(args)
	if err != nil {
		t.Fatalf("testenv: start redis-server: %v", err)
	}
	t.Cleanup(server.stop)
	return server.url()
}

// FreePort returns a port of ReservePort.
func FreePort(t testing.TB) string {
	t.Helper()
	port, err := ReservePort()
	if err != nil {
		t.Fatalf("testenv: %v", err)
	}
	return strconv.Itoa(port)
}

func sharedPostgres() (*postgres, error) {
	shared.Lock()
	defer shared.Unlock()
	if shared.postgres != nil {
		return shared.postgres, nil
	}
	server, err := startPostgres()
	if err != nil {
		return nil, err
	}
	shared.postgres = server
	return server, nil
}

func stopShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.postgres != nil {
		shared.postgres.stop()
		shared.postgres = nil
	}
}
