package sqldb

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Login is a service's own way into Postgres. It owns one schema, which need
// not exist yet, and can neither see into another one nor make one.
type Login struct {
	Name     string
	Password string
	Schema   string
}

// MakeLogins makes the logins, and their schemas, in the database of url, whose
// user must be a superuser: no service is to use that one. Whoever has no login
// of its own is shut out of the database. It may be run again: then it sets the
// passwords and hands each schema, with the tables in it, to its login, as is
// needed after a backup was restored. All of it happens or nothing.
//
// The server is given no password as it is, because it may log statements; so
// passwords must be of printable ASCII, which needs no preparation.
func MakeLogins(ctx context.Context, url string, logins []Login) error {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's message may quote the url, password included.
		return errors.New("make logins: the postgres url cannot be read")
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return fmt.Errorf("make logins: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return makeLogins(ctx, tx, cfg.Database, logins) })
	if err != nil {
		return fmt.Errorf("make logins: %w", err)
	}
	return nil
}

func makeLogins(ctx context.Context, tx pgx.Tx, database string, logins []Login) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockID)); err != nil {
		return err
	}
	database = quoted(database)
	if err := run(ctx, tx,
		`REVOKE ALL ON DATABASE `+database+` FROM PUBLIC`,
		`REVOKE ALL ON SCHEMA public FROM PUBLIC`,
	); err != nil {
		return err
	}
	for _, l := range logins {
		if err := makeLogin(ctx, tx, database, l); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	return nil
}

func makeLogin(ctx context.Context, tx pgx.Tx, database string, l Login) error {
	verifier, err := scramVerifier(l.Password)
	if err != nil {
		return err
	}
	name, schema := quoted(l.Name), quoted(l.Schema)
	var mighty bool
	err = tx.QueryRow(ctx, `SELECT rolsuper FROM pg_roles WHERE rolname = $1`, l.Name).Scan(&mighty)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = run(ctx, tx, `CREATE ROLE `+name)
	case mighty:
		err = errors.New("it is a superuser already, which no service may be")
	}
	if err != nil {
		return err
	}
	if err := run(ctx, tx,
		`ALTER ROLE `+name+` LOGIN PASSWORD '`+verifier+`'`,
		`GRANT CONNECT ON DATABASE `+database+` TO `+name,
		`CREATE SCHEMA IF NOT EXISTS `+schema,
		`REVOKE ALL ON SCHEMA `+schema+` FROM PUBLIC`,
		`ALTER SCHEMA `+schema+` OWNER TO `+name,
	); err != nil {
		return err
	}
	return handOver(ctx, tx, l)
}

const tablesOfOthers = `SELECT c.relname FROM pg_class c
	WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND pg_get_userbyid(c.relowner) <> $2`

// handOver gives the login the tables that somebody else made in its schema.
func handOver(ctx context.Context, tx pgx.Tx, l Login) error {
	rows, err := tx.Query(ctx, tablesOfOthers, quoted(l.Schema), l.Name)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := run(ctx, tx, `ALTER TABLE `+quoted(l.Schema, table)+` OWNER TO `+quoted(l.Name)); err != nil {
			return err
		}
	}
	return nil
}

func run(ctx context.Context, tx pgx.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func quoted(parts ...string) string { return pgx.Identifier(parts).Sanitize() }
