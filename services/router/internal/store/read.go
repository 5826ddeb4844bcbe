package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/signalbox/signalbox/services/router/internal/engine"
)

const selectActive = `
SELECT v.version, COALESCE(a.document, v.document), v.compiled, a.origin, a.author, a.note, v.created_us, a.activated_us
FROM activations a JOIN versions v ON v.version = a.version
ORDER BY a.id DESC LIMIT 1`

// Active returns the active version. It returns false if no version has ever been active.
func (s *Store) Active(ctx context.Context) (engine.Version, bool, error) {
	v := engine.Version{Active: true}
	var created, activated int64
	err := s.db.Read().QueryRowContext(ctx, selectActive).
		Scan(&v.Name, &v.Document, &v.Compiled, &v.Origin, &v.Author, &v.Note, &created, &activated)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Version{}, false, nil
	}
	if err != nil {
		return engine.Version{}, false, fmt.Errorf("read the active version: %w", err)
	}
	v.Created, v.Activated = fromUnixMicro(created), fromUnixMicro(activated)
	return v, true, nil
}

// joinLatestActivation joins each version with its latest activation. The candidate of a
// rollout may have none.
const joinLatestActivation = `
FROM versions v LEFT JOIN activations a ON a.id = (SELECT MAX(id) FROM activations WHERE version = v.version)`

const selectByPrefix = `
SELECT v.version, COALESCE(a.document, v.document), v.compiled, v.origin, v.author, v.note, v.created_us, COALESCE(a.activated_us, 0),
       COALESCE(a.id = (SELECT MAX(id) FROM activations), FALSE)` + joinLatestActivation + `
WHERE v.version LIKE $1 ORDER BY v.version LIMIT 2`

// FindByPrefix returns at most two versions whose names start with prefix.
func (s *Store) FindByPrefix(ctx context.Context, prefix string) ([]engine.Version, error) {
	if strings.ContainsAny(prefix, `%_\`) {
		return nil, nil // no name contains these characters
	}
	return s.queryVersions(ctx, selectByPrefix, prefix+"%")
}

const selectVersions = `
SELECT v.version, '', '', v.origin, v.author, v.note, v.created_us, COALESCE(a.activated_us, 0),
       COALESCE(a.id = (SELECT MAX(id) FROM activations), FALSE)` + joinLatestActivation + `
ORDER BY v.created_us DESC, v.version LIMIT $1`

// List returns versions, newest first, without documents and compiled policies.
func (s *Store) List(ctx context.Context, limit int) ([]engine.Version, error) {
	return s.queryVersions(ctx, selectVersions, limit)
}

func (s *Store) queryVersions(ctx context.Context, query string, arg any) ([]engine.Version, error) {
	rows, err := s.db.Read().QueryContext(ctx, query, arg)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []engine.Version
	for rows.Next() {
		var v engine.Version
		var created, activated int64
		if err := rows.Scan(&v.Name, &v.Document, &v.Compiled, &v.Origin, &v.Author, &v.Note, &created, &activated, &v.Active); err != nil {
			return nil, fmt.Errorf("read versions: %w", err)
		}
		v.Created = fromUnixMicro(created)
		if activated != 0 {
			v.Activated = fromUnixMicro(activated)
		}
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return all, nil
}
