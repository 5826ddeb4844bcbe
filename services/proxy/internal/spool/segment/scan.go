package segment

import (
	"bytes"
	"errors"
)

// Span is a range of offsets in a segment file.
type Span struct{ From, To int }

// Scan visits every intact frame of a segment in order. It skips damaged
// ranges, resumes at the next intact frame, and returns these ranges as bad. An
// incomplete frame at the end is not in bad; scanFrames returns its length as
// tail. In the last segment, such a tail is not damage: a killed process leaves it.
func Scan(seed uint32, data []byte, visit func(off int, f Frame)) (bad []Span, tail int) {
	for off := 0; off < len(data); {
		f, n, err := Decode(seed, data[off:])
		if err == nil {
			visit(off, f)
			off += n
			continue
		}
		next := findNextFrame(seed, data, off+1)
		if next == len(data) && isTornTail(data[off:], err) {
			return bad, len(data) - off
		}
		bad = append(bad, Span{off, next})
		off = next
	}
	return bad, 0
}

// findNextFrame returns the offset of the next intact frame, or len(data).
func findNextFrame(seed uint32, data []byte, from int) int {
	for {
		i := bytes.Index(data[from:], magic)
		if i < 0 {
			return len(data)
		}
		from += i
		if _, _, err := Decode(seed, data[from:]); err == nil {
			return from
		}
		from++
	}
}

// isTornTail reports whether a crash can leave these bytes at the end of a file:
// a partial frame, or the zeros of a file that grew before its data was on disk.
func isTornTail(tail []byte, err error) bool {
	return errors.Is(err, errTruncated) || len(bytes.Trim(tail, "\x00")) == 0
}
