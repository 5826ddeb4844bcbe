package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// migrationLockID is the Postgres advisory lock that processes hold while they change the schema.
const migrationLockID = 0x5349474e414c // "SIGNAL"

type migration struct {
	number int
	name   string
	text   string
}

// migrate applies the missing migrations in one transaction. So the store has either the old or the new
// schema, even after a crash.
func (db *DB) migrate(ctx context.Context, o Options) error {
	all, err := readMigrations(o.Migrations, string(db.Dialect))
	if err != nil {
		return err
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		if err := db.createMigrationsTable(ctx, tx, o.Schema); err != nil {
			return err
		}
		applied, err := readApplied(ctx, tx)
		if err != nil {
			return err
		}
		if err := checkApplied(applied, all); err != nil {
			return err
		}
		for _, m := range all[len(applied):] {
			if err := applyMigration(ctx, tx, m); err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("migrate store %s: %w", db.name, err)
	}
	return nil
}

func readApplied(ctx context.Context, tx *sql.Tx) ([]string, error) {
	return QueryAll(ctx, tx, `SELECT name FROM migrations ORDER BY number`, nil, ScanColumn[string])
}

// checkApplied returns an error unless all starts with the applied migrations. Stores from before the
// first release have migrations that no longer exist.
func checkApplied(applied []string, all []migration) error {
	for i, name := range applied[:min(len(applied), len(all))] {
		if name != all[i].name {
			return fmt.Errorf("the store was created by a pre-release version (migration %s); start with an empty store", name)
		}
	}
	if len(applied) > len(all) {
		return fmt.Errorf("the store was created by a newer version (schema %d, but this version supports %d): use that version, or run its command signalbox downgrade first", len(applied), len(all))
	}
	return nil
}

func (db *DB) createMigrationsTable(ctx context.Context, tx *sql.Tx, schema string) error {
	if db.Dialect == Postgres {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLockID)); err != nil {
			return err
		}
		if err := createSchema(ctx, tx, schema); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_us BIGINT NOT NULL)`)
	return err
}

// createSchema creates the schema if it does not exist. It checks first, because CREATE SCHEMA IF NOT EXISTS
// requires the privilege to create schemas even if the schema exists. Service logins do not have this
// privilege.
func createSchema(ctx context.Context, tx *sql.Tx, schema string) error {
	var exists bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, schema).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	_, err := tx.ExecContext(ctx, `CREATE SCHEMA "`+schema+`"`)
	return err
}

func applyMigration(ctx context.Context, tx *sql.Tx, m migration) error {
	if _, err := tx.ExecContext(ctx, m.text); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied_us) VALUES ($1, $2, $3)`,
		m.number, m.name, time.Now().UnixMicro())
	return err
}

// readMigrations reads 0001_a.sql, 0002_b.sql and so on. It rejects gaps. A migration that fills a gap later
// would be applied on some installations and skipped on others.
func readMigrations(files fs.FS, dir string) ([]migration, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	var all []migration
	for _, e := range entries {
		head, _, _ := strings.Cut(e.Name(), "_")
		number, err := strconv.Atoi(head)
		if err != nil || number != len(all)+1 {
			return nil, fmt.Errorf("migration %s/%s: expected number %04d", dir, e.Name(), len(all)+1)
		}
		text, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
		all = append(all, migration{number: number, name: e.Name(), text: string(text)})
	}
	return all, nil
}
