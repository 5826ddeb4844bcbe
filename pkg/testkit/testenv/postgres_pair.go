package testenv

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// replicationAccess lets a replica connect to its primary.
const replicationAccess = "local replication all trust\nhost replication all 127.0.0.1/32 trust\n"

// PostgresPair is a primary and a streaming replica. The primary confirms a commit when the replica
// has it, so a failover loses nothing that was confirmed.
type PostgresPair struct {
	// URL names both servers. A client finds the one that accepts writes.
	URL string
	// ReadURL prefers the replica.
	ReadURL string

	primary, replica *postgres
}

// StartPostgresPair starts both servers with one empty database. The caller must call Stop.
func StartPostgresPair() (_ *PostgresPair, err error) {
	p := &PostgresPair{}
	defer func() {
		if err != nil {
			p.Stop()
		}
	}()
	if p.primary, err = startPostgres(); err != nil {
		return nil, err
	}
	name, err := p.primary.createDatabase(emptyTemplate)
	if err != nil {
		return nil, err
	}
	if err = p.startReplica(); err != nil {
		return nil, err
	}
	hosts := func(first, second *postgres) string {
		return fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/%s?sslmode=disable&target_session_attrs=", first.port, second.port, name)
	}
	p.URL = hosts(p.primary, p.replica) + "read-write"
	p.ReadURL = hosts(p.replica, p.primary) + "prefer-standby"
	return p, p.replicateSynchronously()
}

func (p *PostgresPair) startReplica() error {
	bin, err := postgresBin()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(p.primary.dataDir(), "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(replicationAccess)
	if err = firstError(err, file.Close(), p.primary.exec("SELECT pg_reload_conf()")); err != nil {
		return err
	}
	dir, err := newDirectory()
	if err != nil {
		return err
	}
	p.replica = &postgres{dir: dir}
	if err := p.replica.makeHome(); err != nil {
		return err
	}
	// The option -R writes the connection to the primary into the copy.
	proc, err := p.replica.run(filepath.Join(bin, "pg_basebackup"), "-D", p.replica.dataDir(), "-R", "-X", "stream", "-c", "fast",
		"-h", "127.0.0.1", "-p", strconv.Itoa(p.primary.port), "-U", "postgres")
	if err != nil {
		return err
	}
	if err := proc.awaitSuccess(); err != nil {
		return fmt.Errorf("pg_basebackup: %w\n%s", err, dir.logTail())
	}
	return p.replica.start(bin)
}

func (p *PostgresPair) replicateSynchronously() error {
	err := awaitTrue("the replica streams", func() bool {
		n, err := p.primary.queryText("SELECT count(*)::text FROM pg_stat_replication WHERE state = 'streaming'")
		return err == nil && n == "1"
	})
	return firstError(err, p.primary.exec("ALTER SYSTEM SET synchronous_standby_names = '*'"), p.primary.exec("SELECT pg_reload_conf()"))
}

// FailOver kills the primary and promotes the replica. The old primary stays down.
func (p *PostgresPair) FailOver() error {
	p.primary.proc.stop(syscall.SIGQUIT)
	if err := p.replica.exec("SELECT pg_promote()"); err != nil {
		return err
	}
	return awaitTrue("the replica accepts writes", func() bool {
		recovering, err := p.replica.queryText("SELECT pg_is_in_recovery()::text")
		return err == nil && strings.HasPrefix(recovering, "f")
	})
}

// Stop stops both servers.
func (p *PostgresPair) Stop() {
	for _, one := range []*postgres{p.primary, p.replica} {
		if one != nil && one.proc != nil {
			one.stop()
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// queryText returns the one text that a statement selects.
func (p *postgres) queryText(statement string) (text string, err error) {
	err = p.withConnection(func(conn *pgx.Conn) error {
		ctx, cancel := queryContext()
		defer cancel()
		return conn.QueryRow(ctx, statement).Scan(&text)
	})
	return text, err
}
