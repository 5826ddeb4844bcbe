package egress

import "bytes"

// maxTrailer is the maximum number of trailer lines to read after the last chunk.
const maxTrailer = 16

// skipEmptyTrailer consumes an empty trailer, the usual case, if it has already arrived. It
// reports whether it did.
func (b *Body) skipEmptyTrailer() bool {
	if b.conn.r.Buffered() < 2 {
		return false
	}
	line, _ := b.conn.r.Peek(2)
	if string(line) != "\r\n" {
		return false
	}
	_, _ = b.conn.r.Discard(2)
	return true
}

// readTrailer reads up to the empty line that ends the trailer, and ignores the fields. It
// rejects every other line, such as a line of only spaces. Otherwise the lines after it could be
// read as the next response.
func (b *Body) readTrailer() bool {
	for range maxTrailer {
		line, err := b.conn.r.ReadSlice('\n')
		if err != nil {
			return false
		}
		field, ok := bytes.CutSuffix(line, crlf)
		if ok && len(field) == 0 {
			return true
		}
		if _, _, isField := parseField(field); !ok || !isField {
			return false
		}
	}
	return false
}
