package egress

import "bytes"

// maxTrailer is how many lines are read behind the last chunk.
const maxTrailer = 16

// emptyTrailer takes the usual one if it has arrived.
func (b *Body) emptyTrailer() bool {
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

// trailer reads to the empty line that ends it, and believes nothing of it. A
// line of blanks is no end, or what is still trailer would pass for an answer.
func (b *Body) trailer() bool {
	for range maxTrailer {
		line, err := b.conn.r.ReadSlice('\n')
		if err != nil {
			return false
		}
		if len(bytes.TrimSpace(line)) == 0 {
			return string(line) == "\r\n" || string(line) == "\n"
		}
	}
	return false
}
