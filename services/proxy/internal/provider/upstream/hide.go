package upstream

import (
	"bytes"
	"strconv"
)

// minHidden is the shortest credential that is taken out of what comes back.
// Shorter ones are words like "none" that people give their own servers, and
// that an answer may well contain.
const minHidden = 16

// hidden stands in the place of a credential.
const hidden = "***"

// hide takes a credential out of an upstream's words, also where it is written
// with JSON's escapes, however often those were escaped again: whoever reads
// the words takes them off.
func hide(words, secret []byte) []byte {
	if len(secret) == 0 {
		return words
	}
	if bytes.IndexByte(words, '\\') < 0 {
		if !bytes.Contains(words, secret) {
			return words
		}
		return bytes.ReplaceAll(words, secret, []byte(hidden))
	}
	var out []byte
	last := 0
	for i := 0; i < len(words); {
		n := 0
		if words[i] == secret[0] || words[i] == '\\' {
			n = written(words[i:], secret)
		}
		if n == 0 {
			i++
			continue
		}
		out = append(append(out, words[last:i]...), hidden...)
		i += n
		last = i
	}
	if last == 0 {
		return words
	}
	return append(out, words[last:]...)
}

// written is how many bytes the secret takes at the beginning of a text; 0 if
// it is not there.
func written(text, secret []byte) int {
	at := 0
	for _, c := range secret {
		n := letter(text[at:], c)
		if n == 0 {
			return 0
		}
		at += n
	}
	return at
}

// letter is written for one character: itself, or behind backslashes itself or
// its number.
func letter(text []byte, c byte) int {
	if len(text) > 0 && text[0] == c {
		return 1
	}
	escape := len(text) - len(bytes.TrimLeft(text, `\`))
	switch rest := text[escape:]; {
	case escape == 0:
	case len(rest) > 0 && rest[0] == c:
		return escape + 1
	case len(rest) >= 5 && rest[0] == 'u':
		if n, err := strconv.ParseUint(string(rest[1:5]), 16, 16); err == nil && n == uint64(c) {
			return escape + 5
		}
	}
	return 0
}
