package record

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Query says which records: those of one account, in a span of time, for which
// every term holds.
type Query struct {
	// Account is never empty: there is no query over all accounts.
	Account string
	// From is inclusive, To is not; zero leaves that side open.
	From, To time.Time
	Terms    []Term
}

// Page is a part of the records a query finds, newest first.
type Page struct {
	Items []Record
	// Next continues after the last item; nil when there is nothing more.
	Next *Cursor
}

// Cursor is the place right after one record in the order (time, id), newest
// first.
type Cursor struct {
	Time time.Time
	ID   uuid.UUID
}

// After is the cursor of a record.
func After(r *Record) *Cursor { return &Cursor{Time: r.Time, ID: r.ID} }

// cursorForm begins every cursor, so that a later form can be told apart.
const cursorForm = 1

// String is the opaque form that readers pass back.
func (c *Cursor) String() string {
	b := make([]byte, 0, 1+8+16)
	b = append(b, cursorForm)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Time.UnixMicro()))
	b = append(b, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor reads what String wrote; empty text is the start, nil. Anything
// else is INVALID_REQUEST.
func ParseCursor(text string) (*Cursor, error) {
	if text == "" {
		return nil, nil
	}
	refused := apperr.New(apperr.InvalidRequest, "the cursor is not one of ours").With("param", "cursor")
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) != 1+8+16 {
		return nil, refused
	}
	c := &Cursor{Time: time.UnixMicro(int64(binary.BigEndian.Uint64(b[1:9]))).UTC()}
	copy(c.ID[:], b[9:])
	// The decoder takes more than one text for the same bytes; we take one.
	if c.String() != text {
		return nil, refused
	}
	return c, nil
}
