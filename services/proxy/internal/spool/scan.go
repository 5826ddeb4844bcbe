package spool

import (
	"bytes"
	"errors"
)

// span is a stretch of a segment file.
type span struct{ from, to int }

// scan visits every intact frame of a segment in order and returns what is
// none. Damage costs what it touched: the search goes on at the next frame. A
// last frame that was cut off is returned by itself as the length of the tail:
// in the last segment it is not damage but how a killed process ends.
func scan(key uint32, data []byte, visit func(off int, f frame)) (bad []span, tail int) {
	for off := 0; off < len(data); {
		f, n, err := decode(key, data[off:])
		if err == nil {
			visit(off, f)
			off += n
			continue
		}
		next := resync(key, data, off+1)
		if next == len(data) && torn(data[off:], err) {
			return bad, len(data) - off
		}
		bad = append(bad, span{off, next})
		off = next
	}
	return bad, 0
}

// resync returns where the next intact frame begins, or the end.
func resync(key uint32, data []byte, from int) int {
	for {
		i := bytes.Index(data[from:], magic)
		if i < 0 {
			return len(data)
		}
		from += i
		if _, _, err := decode(key, data[from:]); err == nil {
			return from
		}
		from++
	}
}

// torn recognises a tail that a crash leaves: part of a frame, or the zeros of
// a file that grew before its bytes reached the disk.
func torn(tail []byte, err error) bool {
	return errors.Is(err, errShort) || len(bytes.Trim(tail, "\x00")) == 0
}
