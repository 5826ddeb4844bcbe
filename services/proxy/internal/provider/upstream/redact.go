package upstream

import (
	"bytes"
	"strconv"
)

// minRedactedLen is the length in bytes of the shortest credential that is
// redacted. Shorter credentials are placeholders such as "none", which self-hosted
// servers use and which ordinary responses may contain.
const minRedactedLen = 16

// redaction replaces a credential in texts of the upstream.
const redaction = "***"

// redactSecret replaces every occurrence of secret in text. It also finds a secret
// written with JSON escapes, even if those escapes were escaped again, because
// a reader of the text would decode them.
func redactSecret(text, secret []byte) []byte {
	if len(secret) == 0 {
		return text
	}
	if bytes.IndexByte(text, '\\') < 0 {
		if !bytes.Contains(text, secret) {
			return text
		}
		return bytes.ReplaceAll(text, secret, []byte(redaction))
	}
	var out []byte
	last := 0
	for i := 0; i < len(text); {
		n := 0
		if text[i] == secret[0] || text[i] == '\\' {
			n = escapedSecretLen(text[i:], secret)
		}
		if n == 0 {
			i++
			continue
		}
		out = append(append(out, text[last:i]...), redaction...)
		i += n
		last = i
	}
	if last == 0 {
		return text
	}
	return append(out, text[last:]...)
}

// escapedSecretLen returns how many bytes the secret, possibly escaped, takes at
// the start of text, or 0 if text does not start with it.
func escapedSecretLen(text, secret []byte) int {
	at := 0
	for _, c := range secret {
		n := escapedByteLen(text[at:], c)
		if n == 0 {
			return 0
		}
		at += n
	}
	return at
}

// escapedByteLen returns how many bytes c takes at the start of text: one if it is
// written plainly, more if it is written as \c or \u00XX behind any number of
// backslashes. It returns 0 if text does not start with c.
func escapedByteLen(text []byte, c byte) int {
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
