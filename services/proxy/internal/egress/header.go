package egress

import (
	"bytes"
	"net/http"
	"strings"
)

// Header is the header of a response. If parseSimpleHead parsed it, it contains only the wanted
// lines. Otherwise it contains all fields that net/http parsed.
type Header struct {
	lines  string
	fields http.Header
}

// Get returns the first value of a header, or "" if there is none. The name must be in canonical
// form.
func (h Header) Get(name string) string {
	v, _ := h.Lookup(name)
	return v
}

// Lookup is like Get, but also reports whether the header exists.
func (h Header) Lookup(name string) (string, bool) {
	if v := h.fields[name]; len(v) > 0 {
		return v[0], true
	}
	for rest := h.lines; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\r\n")
		if len(line) > len(name) && line[len(name)] == ':' && equalFold(line[:len(name)], name) {
			return strings.Trim(line[len(name)+1:], " \t"), true
		}
	}
	return "", false
}

// Fields returns all fields of the header. Call it only if the status is not 200, because the
// header of a response with status 200 may contain only the wanted fields.
func (h Header) Fields() http.Header { return h.fields }

// equalFold compares ASCII strings without regard to case.
func equalFold[A, B string | []byte](a A, b B) bool {
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

// parseField splits a header line. It returns false for a line with unusual characters.
func parseField(line []byte) (name, value []byte, ok bool) {
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
