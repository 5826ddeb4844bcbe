package setting

import (
	"net/mail"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxEmailLength is a length in characters.
	MaxEmailLength  = 254
	maxClientLength = 300

	minPasswordLength = 10
	// MaxPasswordBytes is a length in bytes. It limits the cost of hashing.
	MaxPasswordBytes = 1024
)

// ValidatePassword checks the length of a new password.
func ValidatePassword(password string) error {
	if utf8.RuneCountInString(password) < minPasswordLength || len(password) > MaxPasswordBytes {
		return InvalidParam("password", "the password must have at least 10 characters and at most 1024 bytes")
	}
	return nil
}

// NormalizeEmail returns the e-mail address in lower case. It accepts only ASCII.
// Other letters can look alike or have several encodings, so one user could
// impersonate another.
func NormalizeEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	refusal := InvalidParam("email", "this is not a valid e-mail address")
	if len(email) > MaxEmailLength || !isPrintableASCII(email) {
		return "", refusal
	}
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email {
		return "", refusal
	}
	return strings.ToLower(email), nil
}

// isPrintableASCII reports whether s is printable ASCII without spaces.
func isPrintableASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// SanitizeClient removes unprintable characters and truncates the client description. It
// returns no error, because the description is only displayed.
func SanitizeClient(client string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(client, ""))
	return truncateText(clean, maxClientLength)
}

// truncateText cuts text to the given number of bytes without splitting a character.
func truncateText(text string, maxBytes int) string {
	for len(text) > maxBytes {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

func areTexts(list []string, most, maxLen int) bool {
	return len(list) <= most && !slices.ContainsFunc(list, func(s string) bool { return !IsText(s, 1, maxLen) })
}

// IsText reports whether s has the given number of characters, all of them printable.
func IsText(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && n >= least && n <= most &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// NormalizeAddress returns an IP address in its canonical form, or an empty string.
// It drops the zone, which may be any string.
func NormalizeAddress(text string) string {
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return ""
	}
	return ip.Unmap().WithZone("").String()
}
