package manifest

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"unicode/utf8"
)

// maxIDPrefix is the number of bytes at the start of a row that are searched for its id.
const maxIDPrefix = 64

// row is a row of an export, or the line of a manifest that describes this row.
type row struct {
	id     string
	sum    [sha256.Size]byte
	index  int // counts from 0, without the CSV header
	header bool
}

// splitter splits a byte stream into rows. It holds only the start of a row in memory, so that an
// endless row cannot exhaust memory.
type splitter struct {
	format   Format
	onRow    func(row) error
	sum      hash.Hash
	head     []byte
	inRow    bool
	quoted   bool
	rowCount int
}

func newSplitter(format Format, found func(row) error) *splitter {
	return &splitter{format: format, onRow: found, sum: sha256.New()}
}

// Write processes the next bytes. They may start and end anywhere in a row.
func (s *splitter) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 {
		n, whole := s.findRowEnd(p)
		_, _ = s.sum.Write(p[:n]) // a hash never fails
		s.head = append(s.head, p[:min(n, maxIDPrefix-len(s.head))]...)
		s.inRow = true
		p = p[n:]
		if whole {
			if err := s.close(); err != nil {
				return 0, err
			}
		}
	}
	return taken, nil
}

// findRowEnd returns how many bytes of p belong to the current row, and whether the row ends
// with them. In CSV, a line end between quotes is part of the value.
func (s *splitter) findRowEnd(p []byte) (int, bool) {
	if s.format == NDJSON {
		n := bytes.IndexByte(p, '\n')
		if n < 0 {
			return len(p), false
		}
		return n + 1, true
	}
	for i, b := range p {
		switch {
		case b == '"':
			s.quoted = !s.quoted
		case b == '\n' && !s.quoted:
			return i + 1, true
		}
	}
	return len(p), false
}

// close ends the current row, even if its line end is missing.
func (s *splitter) close() error {
	if !s.inRow {
		return nil
	}
	r := row{id: s.parseID(), index: s.rowCount, header: s.format == CSV && s.rowCount == 0}
	if s.format == CSV {
		r.index--
	}
	s.sum.Sum(r.sum[:0])
	s.sum.Reset()
	s.head, s.inRow, s.quoted = s.head[:0], false, false
	s.rowCount++
	return s.onRow(r)
}

// parseID returns the id, the first value of a row. It is empty if the row has no id.
func (s *splitter) parseID() string {
	before, after := []byte(""), []byte(",")
	if s.format == NDJSON {
		before, after = []byte(`{"id":"`), []byte(`"`)
	}
	rest, ok := bytes.CutPrefix(s.head, before)
	id, _, ended := bytes.Cut(rest, after)
	if !ok || !ended || !utf8.Valid(id) {
		return ""
	}
	return string(id)
}
