package record

import (
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Cursor is the position right after one record in the order of its page.
type Cursor struct {
	Time time.Time
	ID   uuid.UUID
	// Sort is the order of the page. If it is not newest first, Value is the number of
	// the record by which it sorts.
	Sort  Sort
	Value int64
}

// CursorAfter returns the cursor right after a record, in the order newest first.
func CursorAfter(r *Record) *Cursor { return &Cursor{Time: r.Time, ID: r.ID} }

// CursorAfter returns the cursor right after a record in this order. The record must
// have the number by which it sorts.
func (s Sort) CursorAfter(r *Record) *Cursor {
	c := CursorAfter(r)
	if !s.IsNewestFirst() {
		c.Sort, c.Value = s, s.valueOf(r)
	}
	return c
}

// The first byte of every cursor is the version of its format. The next bytes of a
// sorted cursor are its order and its value. Then both have the time and the id.
const (
	newestCursor = 1
	sortedCursor = 2
)

// String returns the opaque form that clients send back.
func (c *Cursor) String() string {
	b := []byte{newestCursor}
	if !c.Sort.IsNewestFirst() {
		b = binary.BigEndian.AppendUint64([]byte{sortedCursor, c.Sort.code()}, uint64(c.Value))
	}
	b = binary.BigEndian.AppendUint64(b, uint64(c.Time.UnixMicro()))
	b = append(b, c.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor parses a cursor of a page that is newest first. An empty string returns
// nil, which means the first page. Any other string returns INVALID_REQUEST.
func ParseCursor(text string) (*Cursor, error) { return Sort{}.ParseCursor(text) }

// ParseCursor parses a cursor of a page in this order, like the function ParseCursor.
func (s Sort) ParseCursor(text string) (*Cursor, error) {
	if text == "" {
		return nil, nil
	}
	invalid := apperr.New(apperr.InvalidRequest, "the cursor is invalid; use the next_cursor of an earlier response with the same order").With("param", "cursor")
	b, err := base64.RawURLEncoding.DecodeString(text)
	c := &Cursor{}
	if !s.IsNewestFirst() && len(b) > 10 {
		c.Sort, c.Value, b = s, int64(binary.BigEndian.Uint64(b[2:10])), b[9:]
	}
	if err != nil || len(b) != 1+8+16 {
		return nil, invalid
	}
	c.Time = time.UnixMicro(int64(binary.BigEndian.Uint64(b[1:9]))).UTC()
	copy(c.ID[:], b[9:])
	// This rejects cursors of another format or order, and other encodings of the same
	// bytes, of which the decoder accepts several.
	if c.String() != text {
		return nil, invalid
	}
	return c, nil
}
