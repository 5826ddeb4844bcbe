package redact

import "strconv"

const (
	// maxDataRun is the longest run of base64 that is not replaced. Images, sound and
	// files are longer and may contain anything. Identifiers are shorter.
	maxDataRun = 256
	// minDataLine is the minimum length of a line of wrapped base64.
	minDataLine = 60
)

// isBase64Byte is true for the characters of both base64 alphabets.
var isBase64Byte = func() (set [256]bool) {
	for c := range set {
		set[c] = isAlnum(byte(c)) || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return set
}()

// collapseData replaces long runs of encoded data by markers with their length, and
// reports whether there were any. In ordinary text it is fast: it examines about every
// sixtieth byte and the word around that byte.
func (d *redaction) collapseData(text []byte) ([]byte, bool) {
	kept, changed := 0, false
	for i := 0; i+minDataLine <= len(text); {
		probe := i + minDataLine - 1
		if !isBase64At(text, probe) {
			i = probe + 1
			continue
		}
		from, to := probe, probe+1
		for from > i && isBase64At(text, from-1) {
			from--
		}
		to = findDataEnd(text, from, to)
		if to-from > maxDataRun && isMostlyAlnum(text[from:to]) {
			if !changed {
				changed, d.collapsed = true, d.collapsed[:0]
			}
			d.collapsed = append(append(d.collapsed, text[kept:from]...), "[redacted:data "...)
			d.collapsed = append(strconv.AppendInt(d.collapsed, int64(to-from), 10), " bytes]"...)
			kept = to
		}
		i = to
	}
	if !changed {
		return text, false
	}
	d.collapsed = append(d.collapsed, text[kept:]...)
	return d.collapsed, true
}

// findDataEnd returns the end of the run of data that starts at start. The bytes from start
// to known are already known to belong to the run.
// The run continues after a line break if the line was long enough for wrapped data. The
// last line may be shorter if nothing else follows on it.
func findDataEnd(text []byte, start, known int) int {
	end := known
	for {
		end = findRunEnd(text, end)
		next := end + newlineLen(text[end:])
		if end-start < minDataLine || next == end {
			break
		}
		nextEnd := findRunEnd(text, next)
		if nextEnd == next {
			break
		}
		if nextEnd-next < minDataLine {
			if last := nextEnd == len(text) || text[nextEnd] == '=' || text[nextEnd] == '"' || newlineLen(text[nextEnd:]) > 0; last {
				end = nextEnd
			}
			break
		}
		start, end = next, nextEnd
	}
	for end < len(text) && text[end] == '=' {
		end++
	}
	return end
}

func findRunEnd(text []byte, i int) int {
	for i < len(text) && isBase64At(text, i) {
		i++
	}
	return i
}

// isBase64At reports whether text[i] belongs to base64 data. The backslash of an escaped
// slash, \/, also belongs to it.
func isBase64At(text []byte, i int) bool {
	return isBase64Byte[text[i]] || text[i] == '\\' && i+1 < len(text) && text[i+1] == '/'
}

// newlineLen returns the length of the line break that text begins with. The line
// break may be escaped.
func newlineLen(text []byte) int {
	at := 0
	for _, c := range []byte("\r\n") {
		switch {
		case at < len(text) && text[at] == c:
			at++
		case at+1 < len(text) && text[at] == '\\' && text[at+1] == map[byte]byte{'\r': 'r', '\n': 'n'}[c]:
			at += 2
		}
	}
	return at
}

// isMostlyAlnum returns false for drawn lines such as "-----", which are not data.
func isMostlyAlnum(run []byte) bool {
	n := 0
	for _, c := range run {
		if isAlnum(c) {
			n++
		}
	}
	return 2*n > len(run)
}
