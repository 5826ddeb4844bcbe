package redact

import "bytes"

// longestStandIn is more than what anybody writes in place of a secret.
const longestStandIn = 64

// standIns are the brackets around what only stands for a value.
var standIns = []struct{ open, end string }{
	{"${{", "}}"}, {"{{", "}}"}, {"${", "}"}, {"{", "}"}, {"$(", ")"}, {"<", ">"}, {"[redacted:", "]"},
}

// noSecrets are what stands where a secret would, in programs and in schemas.
var noSecrets = []string{
	"null", "none", "nil", "undefined", "true", "false", "string", "object", "array", "integer", "number", "boolean", "include", "same-origin", "omit",
}

// placeholder tells whether a value only stands for a secret.
func placeholder(value []byte) bool {
	for _, word := range noSecrets {
		if len(word) == len(value) && bytes.EqualFold(value, []byte(word)) {
			return true
		}
	}
	return standIn(value) == len(value) || len(bytes.TrimLeft(value, "*")) == 0
}

// standIn is how long the one is that a text begins with: brackets that are
// closed, and nothing in them but names. It is 0 if there is none.
func standIn(t []byte) int {
	if len(t) == 0 || bytes.IndexByte([]byte("${<["), t[0]) < 0 {
		return 0
	}
	for _, s := range standIns {
		if !bytes.HasPrefix(t, []byte(s.open)) {
			continue
		}
		n := len(s.open)
		for n < min(len(t), longestStandIn) && (isToken(t, n) || bytes.IndexByte([]byte(" ./$"), t[n]) >= 0) {
			n++
		}
		if bytes.HasPrefix(t[n:], []byte(s.end)) {
			return n + len(s.end)
		}
	}
	return 0
}

// isCall tells whether a value is one of a program's functions being called.
func isCall(text []byte) bool {
	for _, c := range text[:min(len(text), longestName)] {
		if c == '(' {
			return true
		}
		if !isAlnum(c) && c != '_' && c != '.' && c != ':' && c != '$' {
			return false
		}
	}
	return false
}
