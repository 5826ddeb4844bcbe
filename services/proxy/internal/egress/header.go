package egress

import (
	"bytes"
	"net/http"
	"strings"
)

// Header is the header of an answer: the lines that are wanted where it is
// plain, else what net/http made of it.
type Header struct {
	lines  string
	fields http.Header
}

// Get is the first value of a name in its canonical form, empty if there is
// none.
func (h Header) Get(name string) string {
	v, _ := h.Lookup(name)
	return v
}

// Lookup is Get that tells an empty value from none.
func (h Header) Lookup(name string) (string, bool) {
	if v := h.fields[name]; len(v) > 0 {
		return v[0], true
	}
	for rest := h.lines; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\r\n")
		if len(line) > len(name) && line[len(name)] == ':' && alike(line[:len(name)], name) {
			return strings.Trim(line[len(name)+1:], " \t"), true
		}
	}
	return "", false
}

// Refusal is all of the header of an answer whose status is not 200.
func (h Header) Refusal() http.Header { return h.fields }

// alike compares without regard to case, of ASCII alone.
func alike[A, B string | []byte](a A, b B) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lower(a[i]) != lower(b[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// field takes a line of a header apart. It is false for one that needs a closer
// look.
func field(line []byte) (name, value []byte, ok bool) {
	name, value, ok = bytes.Cut(line, []byte{':'})
	if !ok || len(name) == 0 {
		return nil, nil, false
	}
	for _, c := range name {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (lower(c) < 'a' || lower(c) > 'z') {
			return nil, nil, false
		}
	}
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return nil, nil, false
		}
	}
	return name, bytes.Trim(value, " \t"), true
}
