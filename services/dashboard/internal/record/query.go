package record

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Query selects the records of one account that are in a time range and match all
// terms.
type Query struct {
	// Account must not be empty: no query spans accounts.
	Account string
	// From is inclusive, To is exclusive. Zero means unbounded.
	From, To time.Time
	Terms    []Term
}

// Page is one page of the records that match a query, newest first.
type Page struct {
	Items []Record
	// Next continues the search after this page; nil if there are no more records.
	Next *Cursor
}

// Cursor is the position right after one record in the order (time, id), newest
// first.
type Cursor struct {
	Time time.Time
	ID   uuid.UUID
}

// CursorAfter returns the cursor right after a record.
func CursorAfter(r *Record) *Cursor { return &Cursor{Time: r.Time, ID: r.ID} }

// cursorVersion is the first byte of every cursor. A later format gets another
// number.
const cursorVersion = 1

// String returns the opaque form that clients send back.
func (c *Cursor) String() string {
	b := make([]byte, 0, 1+8+16)
	b = append(b, cursorVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Time.UnixMicro()))
	b = append(b, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor parses the output of String. An empty string returns nil, which
// means the first page. Any other string returns INVALID_REQUEST.
func ParseCursor(text string) (*Cursor, error) {
	if text == "" {
		return nil, nil
	}
	invalid := apperr.New(apperr.InvalidRequest, "the cursor is invalid; use the next_cursor of an earlier response").With("param", "cursor")
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != 1+8+16 {
		return nil, invalid
	}
	c := &Cursor{Time: time.UnixMicro(int64(binary.BigEndian.Uint64(b[1:9]))).UTC()}
	copy(c.ID[:], b[9:])
	// The decoder accepts several encodings of the same bytes. Accept only the one
	// that String returns.
	if c.String() != text {
		return nil, invalid
	}
	return c, nil
}
