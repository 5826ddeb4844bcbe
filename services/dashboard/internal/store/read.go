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
	selectRecord  = `SELECT record FROM requests WHERE id = $1 AND day = $2 AND account_id = $3`
	selectContent = `SELECT request, response, request_bytes, response_bytes, encoding FROM content
		WHERE id = $1 AND day = $2 AND account_id = $3`
)

// Get returns a record of the account with its content. The error is NOT_FOUND
// if the record does not exist or belongs to another account.
func (s *Store) Get(ctx context.Context, account string, id uuid.UUID) (*record.Record, error) {
	key := []any{id[:], record.DayOfID(id), account}
	r, err := scanRecord(s.db.Read().QueryRowContext(ctx, selectRecord, key...))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, apperr.New(apperr.NotFound, "the request does not exist")
	}
	if err != nil {
		return nil, unavailableError(err)
	}
	var c record.Content
	var encoding int64
	err = s.db.Read().QueryRowContext(ctx, selectContent, key...).
		Scan(&c.Request, &c.Response, &c.RequestBytes, &c.ResponseBytes, &encoding)
	if err == nil {
		r.Content, err = &c, s.compressor.Decompress(&c, encoding)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, unavailableError(err)
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
