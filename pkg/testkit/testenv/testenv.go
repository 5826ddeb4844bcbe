// Package testenv starts temporary PostgreSQL and Redis servers for tests, on free loopback
// ports and in their own directories. It never touches a running system service. What a
// crashed test process leaves behind ends with that process or is removed by the next one.
// Shipped code does not import it.
package testenv

import (
	"sync"
	"testing"
)

// shared is the server that all tests of a process share, because a start takes a second.
var shared struct {
	sync.Mutex
	postgres *postgres
}

// Main runs the tests and then stops the shared server. TestMain of a suite that uses
// Postgres calls it; otherwise the directory stays until the next cleanup.
func Main(m *testing.M) {
	defer stopShared()
	m.Run()
}

// Postgres returns the URL of a new, empty database, which is dropped when the test ends. The
// first call of a process starts the server.
func Postgres(t testing.TB) string {
	t.Helper()
	server, err := sharedPostgres()
	if err != nil {
		t.Fatalf("testenv: start postgres: %v", err)
	}
	name, err := server.createDatabase()
	if err != nil {
		t.Fatalf("testenv: create database: %v", err)
	}
	t.Cleanup(func() {
		if err := server.dropDatabase(name); err != nil {
			t.Errorf("testenv: drop database: %v", err)
		}
	})
	return server.url(name)
}

// Redis returns the URL of a new redis-server, which stops when the test ends. It stores
// nothing on disk unless args, which are passed to redis-server, say so.
func Redis(t testing.TB, args ...string) string {
	t.Helper()
	server, err := startRedis(args)
	if err != nil {
		t.Fatalf("testenv: start redis-server: %v", err)
	}
	t.Cleanup(server.stop)
	return server.url()
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
