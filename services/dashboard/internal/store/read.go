package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/services/dashboard/internal/codec"
	"github.com/signalbox/signalbox/services/dashboard/internal/record"
)

// Page returns at most limit records that come after the cursor, newest first,
// without their content. A nil cursor starts.
func (s *Store) Page(ctx context.Context, q record.Query, after *record.Cursor, limit int) (record.Page, error) {
	w := newWhere(q)
	if after != nil {
		w.and("(time_us, id) < (", after.Time.UnixMicro())
		w.text.WriteString(", ")
		w.arg(after.ID[:])
		w.text.WriteString(")")
	}
	// One more than asked for tells whether there is a next page.
	rows, err := s.db.Read().QueryContext(ctx, `SELECT record FROM requests WHERE `+w.text.String()+
		` ORDER BY time_us DESC, id DESC LIMIT `+strconv.Itoa(limit+1), w.args...)
	if err != nil {
		return record.Page{}, unavailable(err)
	}
	defer func() { _ = rows.Close() }()
	var page record.Page
	for rows.Next() {
		r, err := scanRecord(rows)
		if err != nil {
			return record.Page{}, unavailable(err)
		}
		page.Items = append(page.Items, *r)
	}
	if err := rows.Err(); err != nil {
		return record.Page{}, unavailable(err)
	}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.Next = record.After(&page.Items[limit-1])
	}
	return page, nil
}

const (
	oneRecord  = `SELECT record FROM requests WHERE id = $1 AND day = $2 AND account_id = $3`
	oneContent = `SELECT request, response, request_bytes, response_bytes FROM content
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
	err = s.db.Read().QueryRowContext(ctx, oneContent, key...).
		Scan(&c.Request, &c.Response, &c.RequestBytes, &c.ResponseBytes)
	switch {
	case err == nil:
		r.Content = &c
	case !errors.Is(err, sql.ErrNoRows):
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
