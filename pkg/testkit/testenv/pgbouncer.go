package testenv

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// pgbouncerConfig passes all users on to one server over its socket, where they need no password.
// Few connections make clients share them after every transaction.
const pgbouncerConfig = `[databases]
* = host=%s port=%d
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = trust
auth_file = %s
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
`

const pgbouncerUsers = `"postgres" ""
"signalbox_keyauth" ""
"signalbox_router" ""
"signalbox_dashboard" ""
`

// PgBouncer is a Postgres behind PgBouncer in transaction mode.
type PgBouncer struct {
	// URL leads to PgBouncer, as the superuser.
	URL string

	server *postgres
	launch func() (*process, error)
	ready  func() error
	proc   *process
}

// StartPgBouncer starts both with one empty database. The caller must call Stop.
func StartPgBouncer() (*PgBouncer, error) {
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		binary = "/usr/sbin/pgbouncer" // in root's PATH only
		if _, err := os.Stat(binary); err != nil {
			return nil, errors.New("pgbouncer is not installed: apt-get install pgbouncer")
		}
	}
	b := &PgBouncer{}
	if b.server, err = startPostgres(); err != nil {
		return nil, err
	}
	if err := b.start(binary); err != nil {
		b.Stop()
		return nil, err
	}
	return b, nil
}

func (b *PgBouncer) start(binary string) error {
	name, err := b.server.createDatabase(emptyTemplate)
	if err != nil {
		return err
	}
	port, err := ReservePort()
	if err != nil {
		return err
	}
	home := b.server.homeDir()
	config, users := filepath.Join(home, "pgbouncer.ini"), filepath.Join(home, "users.txt")
	text := fmt.Appendf(nil, pgbouncerConfig, home, b.server.port, port, users)
	if err := firstError(os.WriteFile(config, text, 0o644), os.WriteFile(users, []byte(pgbouncerUsers), 0o644)); err != nil { //nolint:gosec // no secrets, and another user reads them
		return err
	}
	b.launch = func() (*process, error) { return b.server.run(binary, config) }
	b.URL = fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable&connect_timeout=30&pgbouncer=true", port, name)
	b.ready = func() error {
		ctx, cancel := queryContext()
		defer cancel()
		conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", port, name))
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	}
	if b.proc, err = b.launch(); err != nil {
		return err
	}
	return b.proc.awaitReady(b.ready)
}

// Restart kills PgBouncer and starts it again.
func (b *PgBouncer) Restart() (err error) {
	b.proc.stop(syscall.SIGKILL)
	if b.proc, err = b.launch(); err != nil {
		return err
	}
	return b.proc.awaitReady(b.ready)
}

// Stop stops both.
func (b *PgBouncer) Stop() {
	if b.proc != nil {
		b.proc.stop(syscall.SIGKILL)
	}
	b.server.stop()
}
