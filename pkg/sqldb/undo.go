package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// undoDir is the directory of Options.Migrations with the files that take migrations back. Its
// directories sqlite and postgres contain files with the names of the migrations.
const undoDir = "undo"

// deletesMark starts the line of an undo file that says which data the file deletes.
const deletesMark = "-- Deletes "

// UndoStep takes back one migration.
type UndoStep struct {
	// Migration is the name of the migration's file.
	Migration string
	// Deletes says which data is lost. It is empty if no data is lost.
	Deletes string

	number int
	text   string
}

// SchemaVersion returns the number of migrations.
func SchemaVersion(o Options) (int, error) {
	all, err := readMigrations(o.Migrations, string(SQLite))
	return len(all), err
}

// UndoSteps returns the steps from the newest schema back to the schema with the first keep
// migrations, newest first. It returns an error if a migration cannot be taken back.
func UndoSteps(o Options, dialect Dialect, keep int) ([]UndoStep, error) {
	all, err := readMigrations(o.Migrations, string(dialect))
	if err != nil {
		return nil, err
	}
	var steps []UndoStep
	for _, m := range slices.Backward(all[min(keep, len(all)):]) {
		text, err := fs.ReadFile(o.Migrations, undoDir+"/"+string(dialect)+"/"+m.name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("the migration %s cannot be taken back: restore a backup from before the upgrade", m.name)
		}
		if err != nil {
			return nil, fmt.Errorf("read migrations: %w", err)
		}
		steps = append(steps, UndoStep{Migration: m.name, Deletes: deletedData(string(text)), number: m.number, text: string(text)})
	}
	return steps, nil
}

func deletedData(text string) string {
	for line := range strings.Lines(text) {
		if what, ok := strings.CutPrefix(line, deletesMark); ok {
			return strings.TrimSuffix(strings.TrimSpace(what), ".")
		}
	}
	return ""
}

// DialectOf returns the kind of database of a store URL.
func DialectOf(url string) Dialect {
	if isPostgres(url) {
		return Postgres
	}
	return SQLite
}

// Undo takes back all migrations after the first keep ones, so that an older version can open the
// store. It does so in one transaction and returns the steps that it took. The store must not be in
// use. A store that does not exist, or that is old enough, stays as it is.
func Undo(ctx context.Context, url string, o Options, keep int) (taken []UndoStep, err error) {
	steps, err := UndoSteps(o, DialectOf(url), keep)
	if err != nil {
		return nil, err
	}
	return takeBack(ctx, url, o, steps)
}

// CheckUndo returns the error of Undo with the same arguments, if that can be known before, and takes
// nothing back. With several stores, all are checked before the first one changes.
func CheckUndo(ctx context.Context, url string, o Options, keep int) error {
	if _, err := UndoSteps(o, DialectOf(url), keep); err != nil {
		return err
	}
	_, err := takeBack(ctx, url, o, nil)
	return err
}

func takeBack(ctx context.Context, url string, o Options, steps []UndoStep) (taken []UndoStep, err error) {
	if path, ok := strings.CutPrefix(url, sqliteScheme); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	db, err := connect(ctx, url, o)
	if err != nil {
		return nil, err
	}
	err = db.Write(ctx, func(tx *sql.Tx) error {
		taken, err = db.undo(ctx, tx, o, steps)
		return err
	})
	if err != nil {
		taken, err = nil, fmt.Errorf("downgrade store %s: %w", db.name, err)
	}
	return taken, errors.Join(err, db.Close())
}

func (db *DB) undo(ctx context.Context, tx *sql.Tx, o Options, steps []UndoStep) (taken []UndoStep, err error) {
	if err := db.createMigrationsTable(ctx, tx, o.Schema); err != nil {
		return nil, err
	}
	if err := db.checkUnused(ctx, tx, o.Schema); err != nil {
		return nil, err
	}
	all, err := readMigrations(o.Migrations, string(db.Dialect))
	if err != nil {
		return nil, err
	}
	applied, err := readApplied(ctx, tx)
	if err == nil {
		err = checkApplied(applied, all)
	}
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.number > len(applied) {
			continue
		}
		if err := s.run(ctx, tx); err != nil {
			return nil, fmt.Errorf("take back %s: %w", s.Migration, err)
		}
		taken = append(taken, s)
	}
	return taken, nil
}

func (s UndoStep) run(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, s.text); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `DELETE FROM migrations WHERE number = $1`, s.number)
	return err
}

// leaveTimeout is how long connections of a service that was just stopped may take to end.
const leaveTimeout = 5 * time.Second

// waitForUsers waits a tenth of a second. A transaction sees new connections only after it has
// cleared what it read.
const waitForUsers = `SELECT pg_sleep(0.1), pg_stat_clear_snapshot()`

const countUsers = `
SELECT COUNT(*) FROM pg_stat_activity
WHERE application_name = $1 AND datname = current_database() AND pid <> pg_backend_pid()`

// checkUnused returns an error if a service is connected to the schema. A SQLite file is protected
// by the lock of its data directory instead.
func (db *DB) checkUnused(ctx context.Context, tx *sql.Tx, schema string) error {
	if db.Dialect != Postgres {
		return nil
	}
	users := 0
	for end := time.Now().Add(leaveTimeout); ; {
		if err := tx.QueryRowContext(ctx, countUsers, applicationName(schema)).Scan(&users); err != nil {
			return err
		}
		if users == 0 || time.Now().After(end) {
			break
		}
		if _, err := tx.ExecContext(ctx, waitForUsers); err != nil {
			return err
		}
	}
	if users > 0 {
		return fmt.Errorf("%d connections of the service %s are open: stop the service first", users, schema)
	}
	return nil
}
