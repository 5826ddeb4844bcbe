package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/signalbox/signalbox/services/router/internal/evidence"
)

const (
	insertCorrections = `INSERT INTO corrections (version, body, created_us) VALUES ($1, $2, $3) ON CONFLICT (version) DO NOTHING`
	selectSelected    = `SELECT id, version, pinned FROM selections ORDER BY id DESC LIMIT 1`
	insertSelection   = `INSERT INTO selections (version, pinned, author, selected_us) VALUES ($1, $2, $3, $4)`
	// Versions that apply are kept, and so are the newest ones.
	deleteCorrections = `
DELETE FROM corrections WHERE id <= (SELECT MAX(id) FROM corrections) - $1
AND version NOT IN (SELECT version FROM selections ORDER BY id DESC LIMIT 1)`
	deleteSelections = `DELETE FROM selections WHERE id <= (SELECT MAX(id) FROM selections) - $1`
)

// keptVersions is the number of versions that are kept.
const keptVersions = 1000

// addVersion stores a version and selects it. If another one is pinned, it selects the version
// only to unpin the other one.
func addVersion(ctx context.Context, tx *sql.Tx, v *evidence.Version, unpin bool) error {
	if v.Name != evidence.Shipped {
		if _, err := tx.ExecContext(ctx, insertCorrections, v.Name, v.Table, v.Created.UnixMicro()); err != nil {
			return err
		}
	}
	selected, err := readSelected(ctx, tx)
	if err != nil {
		return err
	}
	if unpin || !selected.Pinned {
		if _, err := tx.ExecContext(ctx, insertSelection, v.Name, 0, "", v.Created.UnixMicro()); err != nil {
			return err
		}
	}
	for _, prune := range []string{deleteCorrections, deleteSelections} {
		if _, err := tx.ExecContext(ctx, prune, keptVersions); err != nil {
			return err
		}
	}
	return nil
}

type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readSelected(ctx context.Context, db rowQuerier) (evidence.Selection, error) {
	selected := evidence.Selection{Version: evidence.Shipped}
	var pinned int64
	err := db.QueryRowContext(ctx, selectSelected).Scan(&selected.Number, &selected.Version, &pinned)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return selected, fmt.Errorf("read the selected corrections: %w", err)
	}
	selected.Pinned = pinned != 0
	return selected, nil
}

// Selected returns the version that applies.
func (s *Store) Selected(ctx context.Context) (evidence.Selection, error) {
	return readSelected(ctx, s.db.Read())
}

// Pin makes a version apply until another one is pinned or a step unpins it.
func (s *Store) Pin(ctx context.Context, version, author string) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, insertSelection, version, 1, author, time.Now().UnixMicro())
		return err
	})
	if err != nil {
		return fmt.Errorf("pin corrections: %w", err)
	}
	return nil
}

const (
	selectCorrections = `SELECT version, body, created_us FROM corrections WHERE version = $1`
	listCorrections   = `SELECT version, body, created_us FROM corrections ORDER BY id DESC LIMIT $1`
)

// Corrections returns a version. It returns false if it is not stored.
func (s *Store) Corrections(ctx context.Context, version string) (evidence.Version, bool, error) {
	all, err := s.queryCorrections(ctx, selectCorrections, version)
	if err != nil || len(all) == 0 {
		return evidence.Version{}, false, err
	}
	return all[0], true, nil
}

// ListCorrections returns versions, newest first.
func (s *Store) ListCorrections(ctx context.Context, limit int) ([]evidence.Version, error) {
	return s.queryCorrections(ctx, listCorrections, limit)
}

func (s *Store) queryCorrections(ctx context.Context, query string, arg any) ([]evidence.Version, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, arg)
	if err != nil {
		return nil, fmt.Errorf("read corrections: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []evidence.Version
	for rows.Next() {
		var v evidence.Version
		var created int64
		if err := rows.Scan(&v.Name, &v.Table, &created); err != nil {
			return nil, fmt.Errorf("read corrections: %w", err)
		}
		v.Created = fromUnixMicro(created)
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read corrections: %w", err)
	}
	return all, nil
}
