package upstream

import (
	"bytes"
	"strconv"
)

// minRedactedLen is the length in bytes of the shortest credential that is redacted.
// Shorter credentials are usually placeholders, such as "none" for self-hosted servers.
// Ordinary responses may contain such words.
const minRedactedLen = 16

// redaction replaces a credential in a text from the upstream.
const redaction = "***"

// redactSecret replaces every occurrence of secret in text. It also finds a secret that is
// written with JSON escapes. The escapes may be nested, as in JSON inside a JSON string.
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

// escapedSecretLen returns the length of the secret at the start of text, where the
// secret may be escaped. It returns 0 if text does not start with the secret.
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

// escapedByteLen returns the length of the byte c at the start of text. It is 1 for the
// plain byte. It is larger for c or uXXXX after one or more backslashes. It is 0 if text
// does not start with c.
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
