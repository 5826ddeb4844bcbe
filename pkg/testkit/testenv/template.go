package testenv

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Template returns databases that start with the same content, usually the tables of a store. The content
// is prepared once per process and copied for each test, because the migrations of a store take longer than
// most of its tests.
type Template struct {
	// Prepare writes the content into the empty database at a URL. It must close its connections.
	Prepare func(url string) error

	postgres, sqlite preparedCopy
}

// preparedCopy is the prepared content of one kind of database.
type preparedCopy struct {
	once sync.Once
	name string // of a database in Postgres
	file []byte // of SQLite
	err  error
}

// Postgres returns the URL of a new database in the shared server; see the function Postgres.
func (p *Template) Postgres(t testing.TB) string {
	t.Helper()
	server, err := sharedPostgres()
	if err != nil {
		t.Fatalf("testenv: start postgres: %v", err)
	}
	c := &p.postgres
	c.once.Do(func() {
		if c.name, c.err = server.createDatabase(emptyTemplate); c.err == nil {
			c.err = p.Prepare(server.url(c.name))
		}
	})
	if c.err != nil {
		t.Fatalf("testenv: prepare the database: %v", c.err)
	}
	return server.newDatabase(t, c.name)
}

// SQLite returns the URL of a new file, which is removed when the test ends.
func (p *Template) SQLite(t testing.TB) string {
	t.Helper()
	c := &p.sqlite
	c.once.Do(func() { c.file, c.err = p.prepareFile() })
	path := filepath.Join(t.TempDir(), "store.db")
	if err := errors.Join(c.err, os.WriteFile(path, c.file, 0o600)); err != nil {
		t.Fatalf("testenv: prepare the file: %v", err)
	}
	return sqliteScheme + path
}

// sqliteScheme starts the URLs of SQLite files in package sqldb.
const sqliteScheme = "sqlite://"

// prepareFile returns the content of a file after its last connection was closed, which moves
// the write-ahead log into the file.
func (p *Template) prepareFile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "template")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "store.db")
	if err := p.Prepare(sqliteScheme + path); err != nil {
		return nil, err
	}
	return os.ReadFile(path) //nolint:gosec // the path is that of our own file
}
