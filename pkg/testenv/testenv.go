// Package testenv starts throw-away real servers for tests: PostgreSQL and
// Redis, on free loopback ports, in directories of their own. It never touches
// a running system service. What a crashed test process leaves behind ends
// with that process or is swept away by the next one. It is for tests alone;
// nothing that ships imports it.
package testenv

import (
	"sync"
	"testing"
)

// shared is the one server that the tests of a process have in common: its
// start takes a second, so every suite starting its own would be felt.
var shared struct {
	sync.Mutex
	postgres *postgres
}

// Main runs the tests and then stops what they shared. TestMain of a suite
// that uses Postgres calls it; without it the directory of the server stays
// until the next sweep.
func Main(m *testing.M) {
	defer stopShared()
	m.Run()
}

// Postgres returns the URL of a fresh, empty database, which is dropped when
// the test ends. The first call of a process starts the server.
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

// Redis returns the URL of a fresh redis-server, which is stopped when the
// test ends. It keeps nothing on disk unless args, which are those of
// redis-server and come last, say so.
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
