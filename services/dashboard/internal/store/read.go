package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

const (
	oneRecord  = `SELECT record FROM requests WHERE id = $1 AND day = $2 AND account_id = $3`
	oneContent = `SELECT request, response, request_bytes, response_bytes, encoding FROM content
		WHERE id = $1 AND day = $2 AND account_id = $3`
)

// Get returns one record of the account with its content. Another account's id
// is NOT_FOUND, like one that never was.
func (s *Store) Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error) {
	key := []any{id[:], record.Day(id), account}
	r, err := scanRecord(s.db.Read().QueryRowContext(ctx, oneRecord, key...))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, apperr.New(apperr.NotFound, "there is no such request")
	}
	if err != nil {
		return nil, unavailable(err)
	}
	var c record.Content
	var encoding int64
	err = s.db.Read().QueryRowContext(ctx, oneContent, key...).
		Scan(&c.Request, &c.Response, &c.RequestBytes, &c.ResponseBytes, &encoding)
	if err == nil {
		r.Content, err = &c, s.packer.unpack(&c, encoding)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, unavailable(err)
	}
	return r, nil
}

func scanRecord(row interface{ Scan(...any) error }) (*record.Record, error) {
	var raw []byte
	if err := row.Scan(&raw); err != nil {
		return nil, err
	}
	return codec.Decode(raw)
}
