package sqldb

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ServiceLogin is the Postgres login of one service. The login owns one schema, which need not exist
// yet. The login cannot use the schemas of other services and cannot create schemas.
type ServiceLogin struct {
	Name     string
	Password string
	Schema   string
}

// CreateLogins creates the logins and their schemas in the database of url. The user of url must be a
// superuser, and no service may use that user. CreateLogins also removes the access to the database that
// Postgres grants to all users by default. Everything runs in one transaction.
//
// Calling CreateLogins again sets the passwords, and makes each login the owner of its schema and its
// tables. This is necessary after restoring a backup.
//
// The server never receives a plain password, because it may log statements. Passwords must be printable
// ASCII, because other characters would need normalization.
func CreateLogins(ctx context.Context, url string, logins []ServiceLogin) error {
	server, err := parsePostgres(url)
	if err != nil {
		return fmt.Errorf("create logins: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, server.ConnConfig)
	if err != nil {
		return fmt.Errorf("create logins: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return createLogins(ctx, tx, server.Database, logins) })
	if err != nil {
		return fmt.Errorf("create logins: %w", err)
	}
	return nil
}

func createLogins(ctx context.Context, tx pgx.Tx, database string, logins []ServiceLogin) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLockID)); err != nil {
		return err
	}
	database = quoteIdentifier(database)
	if err := execAll(ctx, tx,
		`REVOKE ALL ON DATABASE `+database+` FROM PUBLIC`,
		`REVOKE ALL ON SCHEMA public FROM PUBLIC`,
	); err != nil {
		return err
	}
	for _, l := range logins {
		if err := createLogin(ctx, tx, database, l); err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
	}
	return nil
}

func createLogin(ctx context.Context, tx pgx.Tx, database string, l ServiceLogin) error {
	verifier, err := scramVerifier(l.Password)
	if err != nil {
		return err
	}
	name, schema := quoteIdentifier(l.Name), quoteIdentifier(l.Schema)
	var isSuperuser bool
	err = tx.QueryRow(ctx, `SELECT rolsuper FROM pg_roles WHERE rolname = $1`, l.Name).Scan(&isSuperuser)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		err = execAll(ctx, tx, `CREATE ROLE `+name)
	case isSuperuser:
		err = errors.New("this user exists and is a superuser: choose another name for the service")
	}
	if err != nil {
		return err
	}
	if err := execAll(ctx, tx,
		`ALTER ROLE `+name+` LOGIN PASSWORD '`+verifier+`'`,
		`GRANT CONNECT ON DATABASE `+database+` TO `+name,
		`CREATE SCHEMA IF NOT EXISTS `+schema,
		`REVOKE ALL ON SCHEMA `+schema+` FROM PUBLIC`,
		`ALTER SCHEMA `+schema+` OWNER TO `+name,
		// PgBouncer refuses the setting at the start of a connection.
		`ALTER ROLE `+name+` IN DATABASE `+database+` SET search_path TO `+schema,
	); err != nil {
		return err
	}
	return takeOverTables(ctx, tx, l)
}

const foreignTablesQuery = `SELECT c.relname FROM pg_class c
	WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND pg_get_userbyid(c.relowner) <> $2`

// takeOverTables makes the login the owner of all tables in its schema. Tables from a backup may have
// another owner.
func takeOverTables(ctx context.Context, tx pgx.Tx, l ServiceLogin) error {
	rows, err := tx.Query(ctx, foreignTablesQuery, quoteIdentifier(l.Schema), l.Name)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := execAll(ctx, tx, `ALTER TABLE `+quoteIdentifier(l.Schema, table)+` OWNER TO `+quoteIdentifier(l.Name)); err != nil {
			return err
		}
	}
	return nil
}

func execAll(ctx context.Context, tx pgx.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func quoteIdentifier(parts ...string) string { return pgx.Identifier(parts).Sanitize() }
