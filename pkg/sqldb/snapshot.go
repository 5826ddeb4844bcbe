package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
)

// Snapshot writes a consistent copy of the SQLite store at path to the new file into. It does not change
// the store, and does not block other processes that use it.
func Snapshot(ctx context.Context, path, into string) error {
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	q := url.Values{"_pragma": {"busy_timeout(10000)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return fmt.Errorf("snapshot %s: %w", path, err)
	}
	defer func() { _ = db.Close() }()
	// Create the file with permissions for its owner only. VACUUM INTO would use the default permissions.
	f, err := os.OpenFile(into, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("snapshot: %w", err)
	}
	if _, err := db.ExecContext(ctx, `VACUUM INTO ?`, into); err != nil {
		return errors.Join(fmt.Errorf("snapshot %s: %w", path, err), os.Remove(into))
	}
	return nil
}
