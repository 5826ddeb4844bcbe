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

// Active returns the version in force, or false when there never was one.
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
	v.Created, v.Activated = fromMicro(created), fromMicro(activated)
	return v, true, nil
}

// lastOf is the newest activation of each version, and every version has one.
const lastOf = `
FROM versions v JOIN activations a ON a.id = (SELECT MAX(id) FROM activations WHERE version = v.version)`

const selectNamed = `
SELECT v.version, COALESCE(a.document, v.document), v.compiled, v.origin, v.author, v.note, v.created_us, a.activated_us,
       a.id = (SELECT MAX(id) FROM activations)` + lastOf + `
WHERE v.version LIKE $1 ORDER BY v.version LIMIT 2`

// Named returns at most two versions whose names begin so.
func (s *Store) Named(ctx context.Context, begin string) ([]engine.Version, error) {
	if strings.ContainsAny(begin, `%_\`) {
		return nil, nil // which no name has
	}
	return s.versions(ctx, selectNamed, begin+"%")
}

const selectVersions = `
SELECT v.version, '', '', v.origin, v.author, v.note, v.created_us, a.activated_us,
       a.id = (SELECT MAX(id) FROM activations)` + lastOf + `
ORDER BY v.created_us DESC, v.version LIMIT $1`

// List returns the newest versions first, without what is in them.
func (s *Store) List(ctx context.Context, limit int) ([]engine.Version, error) {
	return s.versions(ctx, selectVersions, limit)
}

func (s *Store) versions(ctx context.Context, query string, arg any) ([]engine.Version, error) {
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
		v.Created, v.Activated = fromMicro(created), fromMicro(activated)
		all = append(all, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return all, nil
}
