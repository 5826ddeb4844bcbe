package redact

import "bytes"

// maxPlaceholderLen is longer than usual placeholders for a secret.
const maxPlaceholderLen = 64

// placeholderBrackets are the brackets that enclose a placeholder.
var placeholderBrackets = []struct{ open, end string }{
	{"${{", "}}"}, {"{{", "}}"}, {"${", "}"}, {"{", "}"}, {"$(", ")"}, {"<", ">"}, {"[redacted:", "]"},
}

// nonSecretWords are words that programs and schemas contain where a secret would be.
var nonSecretWords = []string{
	"null", "none", "nil", "undefined", "true", "false", "string", "object", "array", "integer", "number", "boolean", "include", "same-origin", "omit",
}

// isPlaceholder reports whether a value stands for a secret without being one. Examples
// are ${TOKEN}, null and ****. An empty value is a placeholder, too.
func isPlaceholder(value []byte) bool {
	for _, word := range nonSecretWords {
		if len(word) == len(value) && bytes.EqualFold(value, []byte(word)) {
			return true
		}
	}
	return placeholderLen(value) == len(value) || len(bytes.TrimLeft(value, "*")) == 0
}

// placeholderLen returns the length of the placeholder that t begins with: brackets around
// a name, such as ${TOKEN}. It returns 0 if there is none.
func placeholderLen(t []byte) int {
	if len(t) == 0 || bytes.IndexByte([]byte("${<["), t[0]) < 0 {
		return 0
	}
	for _, s := range placeholderBrackets {
		if !bytes.HasPrefix(t, []byte(s.open)) {
			continue
		}
		n := len(s.open)
		for n < min(len(t), maxPlaceholderLen) && (isTokenByte(t, n) || bytes.IndexByte([]byte(" ./$"), t[n]) >= 0) {
			n++
		}
		if bytes.HasPrefix(t[n:], []byte(s.end)) {
			return n + len(s.end)
		}
	}
	return 0
}

// isFunctionCall reports whether a value looks like a function call in a program.
func isFunctionCall(text []byte) bool {
	for _, c := range text[:min(len(text), maxNameLen)] {
		if c == '(' {
			return true
		}
		if !isAlnum(c) && c != '_' && c != '.' && c != ':' && c != '$' {
			return false
		}
	}
	return false
}
