package testenv

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// queryLimit limits the time of every statement.
const queryLimit = 30 * time.Second

// access is the pg_hba.conf. Over TCP, every user except the superuser needs a password. Without this
// rule, tests of logins would accept any password.
const access = `local all all trust
host all postgres 127.0.0.1/32 trust
host all all 127.0.0.1/32 scram-sha-256
`

type postgres struct {
	dir       *directory
	proc      *process
	port      int
	databases atomic.Int64
}

func startPostgres() (*postgres, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	dir, err := newDirectory()
	if err != nil {
		return nil, err
	}
	server := &postgres{dir: dir}
	if err := server.initDatabase(bin); err != nil {
		err = fmt.Errorf("initdb: %w\n%s", err, dir.logTail())
		dir.removeAll()
		return nil, err
	}
	for range attempts {
		if err = server.start(bin); err == nil {
			return server, nil
		}
	}
	err = fmt.Errorf("%w\n%s", err, dir.logTail())
	dir.removeAll()
	return nil, err
}

// homeDir belongs to the user that the server runs as.
func (p *postgres) homeDir() string { return filepath.Join(p.dir.path, "postgres") }

func (p *postgres) dataDir() string { return filepath.Join(p.homeDir(), "data") }

func (p *postgres) runInitdb(bin string) error {
	proc, err := p.run(filepath.Join(bin, "initdb"), "-D", p.dataDir(), "-U", "postgres",
		"--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
	if err != nil {
		return err
	}
	if err := proc.awaitSuccess(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.dataDir(), "pg_hba.conf"), []byte(access), 0o600)
}

func (p *postgres) makeHome() error {
	cred, err := postgresUser()
	if err != nil {
		return err
	}
	if err := os.Mkdir(p.homeDir(), 0o700); err != nil || cred == nil {
		return err
	}
	return os.Chown(p.homeDir(), int(cred.Uid), int(cred.Gid))
}

func (p *postgres) start(bin string) error {
	port, err := ReservePort()
	if err != nil {
		return err
	}
	p.port = port
	return p.launch(bin)
}

// relaunch restarts a dead server on the same port, with its data.
func (p *postgres) relaunch() error {
	bin, err := postgresBin()
	if err != nil {
		return err
	}
	return p.launch(bin)
}

func (p *postgres) launch(bin string) (err error) {
	// The data is temporary, so fsync (-F) and full_page_writes are off.
	p.proc, err = p.run(filepath.Join(bin, "postgres"), "-D", p.dataDir(), "-F",
		"-h", "127.0.0.1", "-p", strconv.Itoa(p.port), "-k", p.homeDir(),
		"-c", "full_page_writes=off", "-c", "jit=off")
	if err != nil {
		return err
	}
	if err := p.proc.awaitReady(func() error { return p.exec("SELECT 1") }); err != nil {
		p.proc.stop(syscall.SIGQUIT)
		return err
	}
	return nil
}

func (p *postgres) run(binary string, args ...string) (*process, error) {
	cred, err := postgresUser()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = p.homeDir()
	cmd.Env = []string{"PATH=" + filepath.Dir(binary), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	// SIGQUIT makes postgres stop its child processes at once and free its shared memory.
	return startProcess(cmd, p.dir, syscall.SIGQUIT)
}

func (p *postgres) stop() {
	p.proc.stop(syscall.SIGQUIT)
	p.dir.removeAll()
}

// url has a longer timeout than the default of sqldb, because the server forks a process for every
// connection, and a busy machine takes longer.
func (p *postgres) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable&connect_timeout=30", p.port, database)
}

// emptyTemplate is the name of an empty database in every server.
const emptyTemplate = "template1"

// createDatabase creates a copy of another database.
func (p *postgres) createDatabase(template string) (string, error) {
	name := fmt.Sprintf("test_%d", p.databases.Add(1))
	return name, p.exec("CREATE DATABASE " + name + " TEMPLATE " + template)
}

// newDatabase returns the URL of a copy of another database. The copy is dropped when the test ends.
func (p *postgres) newDatabase(t testing.TB, template string) string {
	t.Helper()
	name, err := p.createDatabase(template)
	if err != nil {
		t.Fatalf("testenv: create database: %v", err)
	}
	t.Cleanup(func() {
		if err := p.dropDatabase(name); err != nil {
			t.Errorf("testenv: drop database: %v", err)
		}
	})
	return p.url(name)
}

func (p *postgres) dropDatabase(name string) error {
	return p.exec("DROP DATABASE " + name + " WITH (FORCE)")
}

// exec uses the socket in the server's own directory, because another server may listen on the port.
func (p *postgres) exec(statement string) error {
	return p.withConnection(func(conn *pgx.Conn) error {
		ctx, cancel := queryContext()
		defer cancel()
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

func queryContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), queryLimit)
}

func (p *postgres) withConnection(use func(conn *pgx.Conn) error) error {
	ctx, cancel := queryContext()
	defer cancel()
	conn, err := pgx.Connect(ctx, fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres", p.homeDir(), p.port))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return use(conn)
}
