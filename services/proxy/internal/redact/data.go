package redact

import "strconv"

const (
	// dataRun is how long a run of base64 may be that stays: images, sound and
	// files are longer and may hold anything, identifiers are shorter.
	dataRun = 256
	// dataLine is the least that a line of wrapped base64 has.
	dataLine = 60
)

// encoded are the characters of base64 in both of its alphabets.
var encoded = func() (set [256]bool) {
	for c := range set {
		set[c] = isAlnum(byte(c)) || c == '+' || c == '/' || c == '-' || c == '_'
	}
	return set
}()

// collapse returns a text with long runs of data replaced by notes of their
// length, and whether there were any. Only every sixtieth byte of an ordinary
// text is looked at, and what stands before it up to the last blank.
func (d *draft) collapse(text []byte) ([]byte, bool) {
	kept, changed := 0, false
	for i := 0; i+dataLine <= len(text); {
		probe := i + dataLine - 1
		if !isData(text, probe) {
			i = probe + 1
			continue
		}
		from, to := probe, probe+1
		for from > i && isData(text, from-1) {
			from--
		}
		to = dataEnd(text, from, to)
		if to-from > dataRun && mostlyAlnum(text[from:to]) {
			if !changed {
				changed, d.short = true, d.short[:0]
			}
			d.short = append(append(d.short, text[kept:from]...), "[redacted:data "...)
			d.short = append(strconv.AppendInt(d.short, int64(to-from), 10), " bytes]"...)
			kept = to
		}
		i = to
	}
	if !changed {
		return text, false
	}
	d.short = append(d.short, text[kept:]...)
	return d.short, true
}

// dataEnd is where a run ends that began at from and goes up to at least to. It
// goes on after the end of a line if that was long enough for one of wrapped
// data; a last, shorter line must be followed by nothing else.
func dataEnd(text []byte, from, to int) int {
	for {
		to = runEnd(text, to)
		next := to + newline(text[to:])
		if to-from < dataLine || next == to {
			break
		}
		end := runEnd(text, next)
		if end == next {
			break
		}
		if end-next < dataLine {
			if last := end == len(text) || text[end] == '=' || text[end] == '"' || newline(text[end:]) > 0; last {
				to = end
			}
			break
		}
		from, to = next, end
	}
	for to < len(text) && text[to] == '=' {
		to++
	}
	return to
}

func runEnd(text []byte, at int) int {
	for at < len(text) && isData(text, at) {
		at++
	}
	return at
}

// isData tells whether a byte belongs to base64; a slash may have been escaped.
func isData(text []byte, at int) bool {
	return encoded[text[at]] || text[at] == '\\' && at+1 < len(text) && text[at+1] == '/'
}

// newline is how long the end of a line is that a text begins with, also one
// that is still escaped.
func newline(text []byte) int {
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

// mostlyAlnum tells data from a line that somebody drew.
func mostlyAlnum(run []byte) bool {
	n := 0
	for _, c := range run {
		if isAlnum(c) {
			n++
		}
	}
	return 2*n > len(run)
}
