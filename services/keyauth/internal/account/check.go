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
	maxName   = 100
	maxModel  = 200
	maxTag    = 64
	maxModels = 100
	maxTags   = 32
	// maxTexts bounds all texts of a key together, in bytes: every proxy holds
	// every key in memory, and changes of many keys travel in one message.
	maxTexts  = 8 << 10
	maxEmail  = 254
	maxClient = 300
	// maxContentDays is ten years: longer is a slip of the finger.
	maxContentDays = 3650

	minPassword = 10
	// maxPassword bounds the work of hashing.
	maxPassword = 1024
)

var scopes = []string{"chat", "embeddings", "models"}

// check accepts settings or names the first parameter that it cannot accept.
// It leaves the expiry to checkExpiry: an expired key may still be renamed.
func (s *KeySettings) check() error {
	s.Name = strings.TrimSpace(s.Name)
	switch {
	case !isText(s.Name, 1, maxName):
		return invalid("name", "a key needs a name of 1 to 100 printable characters")
	case !areScopes(s.Scopes):
		return invalid("scopes", "scopes are "+strings.Join(scopes, ", ")+", each at most once")
	case !areTexts(s.Models, maxModels, maxModel):
		return invalid("models", "models are at most 100 names of 1 to 200 printable characters")
	case !areTexts(s.Tags, maxTags, maxTag):
		return invalid("tags", "tags are at most 32 words of 1 to 64 printable characters")
	case !isText(s.BaselineModel, 0, maxModel):
		return invalid("baseline_model", "a model's name has at most 200 printable characters")
	case !s.Capture.known():
		return invalid("capture", "capture is one of full, redacted, none")
	case s.ErrorFormat != "" && s.ErrorFormat != FormatFlat && s.ErrorFormat != FormatOpenAI:
		return invalid("error_format", "the error format is flat or openai")
	case s.bytes() > maxTexts:
		return invalid("settings", "name, scopes, models, tags and baseline have at most 8 KiB together").
			With("bytes", s.bytes()).With("limit", maxTexts)
	}
	s.ExpiresAt = s.ExpiresAt.Truncate(time.Microsecond)
	return s.Limits.check()
}

func areScopes(list []string) bool {
	for i, v := range list {
		if !slices.Contains(scopes, v) || slices.Contains(list[:i], v) {
			return false
		}
	}
	return true
}

func (s *KeySettings) bytes() int {
	n := len(s.Name) + len(s.BaselineModel)
	for _, text := range slices.Concat(s.Scopes, s.Models, s.Tags) {
		n += len(text)
	}
	return n
}

func (a *Account) check() error {
	a.Name = strings.TrimSpace(a.Name)
	switch {
	case !isText(a.Name, 1, maxEmail):
		return invalid("name", "an account needs a name of 1 to 254 printable characters")
	case !isText(a.BaselineModel, 0, maxModel):
		return invalid("baseline_model", "a model's name has at most 200 printable characters")
	case !a.Capture.known():
		return invalid("capture", "capture is one of full, redacted, none")
	case a.ContentDays < 0 || a.ContentDays > maxContentDays:
		return invalid("content_days", "content is kept for 0 (the installation's setting) to 3650 days")
	}
	return a.Limits.check()
}

func checkExpiry(at time.Time) error {
	if !at.IsZero() && !at.After(now()) {
		return invalid("expires_at", "the expiry must be in the future")
	}
	return nil
}

func checkPassword(password string) error {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword {
		return invalid("password", "a password has at least 10 characters and at most 1024 bytes")
	}
	return nil
}

// normalEmail is the form by which an e-mail is known; it is not told apart by
// case, as nobody does. It has no letters but those of ASCII: others look like
// them, or are written in two ways, and would let one person pass for another.
func normalEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	refusal := invalid("email", "this is not an e-mail address")
	if len(email) > maxEmail || !isPlain(email) {
		return "", refusal
	}
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email {
		return "", refusal
	}
	return strings.ToLower(email), nil
}

// isPlain reports whether a text is of printable ASCII without spaces.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// clientText is for display alone, so it is cleaned rather than refused.
func clientText(client string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(client, ""))
	return shortened(clean, maxClient)
}

// shortened has at most so many bytes, and no half of a character.
func shortened(text string, most int) string {
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

func (c Capture) known() bool {
	return c == "" || c == CaptureFull || c == CaptureRedacted || c == CaptureNone
}

func areTexts(list []string, most, maxLen int) bool {
	return len(list) <= most && !slices.ContainsFunc(list, func(s string) bool { return !isText(s, 1, maxLen) })
}

func isText(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return utf8.ValidString(s) && n >= least && n <= most &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
