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

// lockID is the advisory lock under which services migrate, one at a time.
const lockID = 0x5349474e414c // "SIGNAL"

type migration struct {
	number int
	name   string
	text   string
}

// migrate applies what is missing in one transaction: a crash leaves the old
// schema or the new one, nothing between.
func (db *DB) migrate(ctx context.Context, o Options) error {
	all, err := readMigrations(o.Migrations, string(db.Dialect))
	if err != nil {
		return err
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		if err := db.prepare(ctx, tx, o.Schema); err != nil {
			return err
		}
		var at int
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(number), 0) FROM migrations`).Scan(&at); err != nil {
			return err
		}
		if at > len(all) {
			return fmt.Errorf("the store was made by a newer version (schema %d, this one knows %d)", at, len(all))
		}
		for _, m := range all[at:] {
			if err := apply(ctx, tx, m); err != nil {
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

func (db *DB) prepare(ctx context.Context, tx *sql.Tx, schema string) error {
	if db.Dialect == Postgres {
		if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(lockID)); err != nil {
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

// createSchema looks first, because even IF NOT EXISTS needs a right that a
// login which owns its schema has no other use for.
func createSchema(ctx context.Context, tx *sql.Tx, schema string) error {
	var there bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)`, schema).Scan(&there); err != nil {
		return err
	}
	if there {
		return nil
	}
	_, err := tx.ExecContext(ctx, `CREATE SCHEMA "`+schema+`"`)
	return err
}

func apply(ctx context.Context, tx *sql.Tx, m migration) error {
	if _, err := tx.ExecContext(ctx, m.text); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (number, name, applied_us) VALUES ($1, $2, $3)`,
		m.number, m.name, time.Now().UnixMicro())
	return err
}

// readMigrations reads 0001_a.sql, 0002_b.sql, … and refuses gaps, which would
// be applied on some installations and skipped on others.
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
			return nil, fmt.Errorf("migration %s/%s: want number %04d", dir, e.Name(), len(all)+1)
		}
		text, err := fs.ReadFile(files, dir+"/"+e.Name())
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
		all = append(all, migration{number: number, name: e.Name(), text: string(text)})
	}
	return all, nil
}
