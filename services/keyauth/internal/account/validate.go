package account

import (
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxNameLength  = 100
	maxModelLength = 200
	maxTagLength   = 64
	maxModels      = 100
	maxTags        = 32
	// maxTextBytes limits the total size of all strings of a key in bytes. Proxies hold
	// keys in memory, and one message contains many keys.
	maxTextBytes    = 8 << 10
	maxEmailLength  = 254
	maxClientLength = 300
	// maxContentDays is ten years; a larger value is likely a typing error.
	maxContentDays = 3650

	minPasswordLength = 10
	// maxPasswordBytes is a length in bytes. It limits the cost of hashing.
	maxPasswordBytes = 1024
)

var scopes = []string{"chat", "embeddings", "models", "feedback"}

// validate normalizes the settings, or returns an error for the first invalid
// parameter. It does not check the expiry, because an expired key may still be
// renamed. validateExpiry checks it.
func (s *KeySettings) validate() error {
	s.Name = strings.TrimSpace(s.Name)
	switch {
	case !isValidText(s.Name, 1, maxNameLength):
		return invalidParamError("name", "a key needs a name of 1 to 100 printable characters")
	case !areKnownScopes(s.Scopes):
		return invalidParamError("scopes", "each scope must be one of "+strings.Join(scopes, ", ")+", and listed only once")
	case !areValidTexts(s.Models, maxModels, maxModelLength):
		return invalidParamError("models", "at most 100 models are allowed, each with 1 to 200 printable characters")
	case !areValidTexts(s.Tags, maxTags, maxTagLength):
		return invalidParamError("tags", "at most 32 tags are allowed, each with 1 to 64 printable characters")
	case !isValidText(s.BaselineModel, 0, maxModelLength):
		return invalidParamError("baseline_model", "a model name must have at most 200 printable characters")
	case !s.Capture.isKnown():
		return invalidParamError("capture", "capture must be full, redacted or none")
	case s.ErrorFormat != "" && s.ErrorFormat != FormatFlat && s.ErrorFormat != FormatOpenAI:
		return invalidParamError("error_format", "the error format must be flat or openai")
	case s.countTextBytes() > maxTextBytes:
		return invalidParamError("settings", "name, scopes, models, tags and baseline model must have at most 8 KiB together").
			With("bytes", s.countTextBytes()).With("limit", maxTextBytes)
	}
	s.ExpiresAt = s.ExpiresAt.Truncate(time.Microsecond)
	return s.Limits.validate()
}

func areKnownScopes(list []string) bool {
	for i, v := range list {
		if !slices.Contains(scopes, v) || slices.Contains(list[:i], v) {
			return false
		}
	}
	return true
}

func (s *KeySettings) countTextBytes() int {
	n := len(s.Name) + len(s.BaselineModel)
	for _, text := range slices.Concat(s.Scopes, s.Models, s.Tags) {
		n += len(text)
	}
	return n
}

func (a *Account) validate() error {
	a.Name = strings.TrimSpace(a.Name)
	switch {
	case !isValidText(a.Name, 1, maxEmailLength):
		return invalidParamError("name", "an account needs a name of 1 to 254 printable characters")
	case !isValidText(a.BaselineModel, 0, maxModelLength):
		return invalidParamError("baseline_model", "a model name must have at most 200 printable characters")
	case !a.Capture.isKnown():
		return invalidParamError("capture", "capture must be full, redacted or none")
	case a.ContentDays < 0 || a.ContentDays > maxContentDays:
		return invalidParamError("content_days", "content retention must be 0 (the installation's setting) to 3650 days")
	}
	return a.Limits.validate()
}

func validateExpiry(at time.Time) error {
	if !at.IsZero() && !at.After(now()) {
		return invalidParamError("expires_at", "the expiry must be in the future")
	}
	return nil
}

func validatePassword(password string) error {
	if utf8.RuneCountInString(password) < minPasswordLength || len(password) > maxPasswordBytes {
		return invalidParamError("password", "the password must have at least 10 characters and at most 1024 bytes")
	}
	return nil
}

// normalizeEmail returns the e-mail address in lower case. It accepts only ASCII.
// Other letters can look alike or have several encodings, so one user could
// impersonate another.
func normalizeEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	refusal := invalidParamError("email", "this is not a valid e-mail address")
	if len(email) > maxEmailLength || !isPrintableASCII(email) {
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

// sanitizeClient removes unprintable characters and truncates the client description. It
// returns no error, because the description is only displayed.
func sanitizeClient(client string) string {
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

func (c Capture) isKnown() bool {
	return c == "" || c == CaptureFull || c == CaptureRedacted || c == CaptureNone
}

func areValidTexts(list []string, most, maxLen int) bool {
	return len(list) <= most && !slices.ContainsFunc(list, func(s string) bool { return !isValidText(s, 1, maxLen) })
}

func isValidText(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && n >= least && n <= most &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
