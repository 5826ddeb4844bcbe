package manifest

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"unicode/utf8"
)

// idBytes is how far into a row its id may stand: more than any of ours.
const idBytes = 64

// row is one of an export, or of a manifest.
type row struct {
	id     string
	sum    [sha256.Size]byte
	at     int // from 0
	header bool
}

// splitter finds the rows in a flow of bytes. It keeps nothing of a row but its
// beginning, so that a row without an end cannot fill the memory.
type splitter struct {
	format Format
	found  func(row) error
	sum    hash.Hash
	head   []byte
	begun  bool
	quoted bool
	seen   int
}

func newSplitter(format Format, found func(row) error) *splitter {
	return &splitter{format: format, found: found, sum: sha256.New()}
}

// Write takes the next bytes, in pieces of any size.
func (s *splitter) Write(p []byte) (int, error) {
	taken := len(p)
	for len(p) > 0 {
		n, whole := s.end(p)
		_, _ = s.sum.Write(p[:n]) // a hash takes everything
		s.head = append(s.head, p[:min(n, idBytes-len(s.head))]...)
		s.begun = true
		p = p[n:]
		if whole {
			if err := s.close(); err != nil {
				return 0, err
			}
		}
	}
	return taken, nil
}

// end is how many of the bytes belong to the row, and whether it ends there.
// Between quotes, which CSV doubles inside a value, a line's end is text.
func (s *splitter) end(p []byte) (int, bool) {
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

// close ends a row, also one that its line's end is missing of.
func (s *splitter) close() error {
	if !s.begun {
		return nil
	}
	r := row{id: s.id(), at: s.seen, header: s.format == CSV && s.seen == 0}
	if s.format == CSV {
		r.at--
	}
	s.sum.Sum(r.sum[:0])
	s.sum.Reset()
	s.head, s.begun, s.quoted = s.head[:0], false, false
	s.seen++
	return s.found(r)
}

// id is the first value of a row; empty when it is none of ours.
func (s *splitter) id() string {
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
