package agent

import "strings"

const (
	// maxName is the maximum length of a name in bytes.
	maxName = 32
	// maxProduct is the maximum length of a product token in bytes. A longer token is data
	// rather than the name of a program.
	maxProduct = 64
	// maxDigits is how many digits a product token may have. A token with more digits is
	// an id or a secret rather than the name of a program. Versions are not part of a
	// token.
	maxDigits = 6
)

// Product returns the product token of a User-Agent, as the client wrote it: everything
// before the first character that a name cannot contain, such as the slash before the
// version. It returns "" if the token is too long.
func Product(userAgent string) string {
	for i := range min(len(userAgent), maxProduct+1) {
		if !isNameByte(userAgent[i]) {
			return userAgent[:i]
		}
	}
	if len(userAgent) > maxProduct {
		return ""
	}
	return userAgent
}

// shortName returns a product token as a name, or "" if it does not look like the name of
// a program.
func shortName(product string) string {
	letters, digits := 0, 0
	for i := range len(product) {
		switch c := product[i]; {
		case isDigit(c):
			digits++
		case isLetter(c):
			letters++
		}
	}
	if letters == 0 || digits > maxDigits {
		return ""
	}
	return strings.ToLower(product[:min(len(product), maxName)])
}

// appendLower appends the beginning of a text in lower case, at most as much as fits into
// dst.
func appendLower(dst []byte, text string) []byte {
	for i := range min(len(text), cap(dst)-len(dst)) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

func isNameByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '.' || c == '_' || c == '-'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
