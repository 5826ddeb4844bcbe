package setting

import (
	"slices"
	"strings"
	"time"
)

const (
	// MaxNameLength is the length of the longest name of a key, in characters.
	MaxNameLength = 100
	// MaxModelLength is the length of the longest name of a model, in characters.
	MaxModelLength = 200
	maxTagLength   = 64
	maxModels      = 100
	maxTags        = 32
	// maxTextBytes limits the total size of all strings of a key in bytes. Proxies hold
	// keys in memory, and one message contains many keys.
	maxTextBytes = 8 << 10
)

var scopes = []string{"chat", "embeddings", "models", "feedback"}

// Key holds the settings of a key that users can change.
type Key struct {
	Name          string
	Scopes        []string
	Models        []string
	Tags          []string
	MaySwapModel  bool
	BaselineModel string
	Capture       Capture
	ErrorFormat   ErrorFormat
	// ExpiresAt is the expiry; zero means never.
	ExpiresAt time.Time
	Limits    Limits
	// User and Agent replace what clients say about their requests; empty means that
	// clients say it.
	User  string
	Agent string
}

// Validate normalizes the settings, or returns an error for the first invalid
// parameter. It does not check the expiry, because an expired key may still be
// renamed. The account package checks it.
func (s *Key) Validate() error {
	s.Name = strings.TrimSpace(s.Name)
	switch {
	case !IsText(s.Name, 1, MaxNameLength):
		return InvalidParam("name", "a key needs a name of 1 to 100 printable characters")
	case !areKnownScopes(s.Scopes):
		return InvalidParam("scopes", "each scope must be one of "+strings.Join(scopes, ", ")+", and listed only once")
	case !areTexts(s.Models, maxModels, MaxModelLength):
		return InvalidParam("models", "at most 100 models are allowed, each with 1 to 200 printable characters")
	case !areTexts(s.Tags, maxTags, maxTagLength):
		return InvalidParam("tags", "at most 32 tags are allowed, each with 1 to 64 printable characters")
	case !IsText(s.BaselineModel, 0, MaxModelLength):
		return InvalidParam("baseline_model", "a model name must have at most 200 printable characters")
	case !s.Capture.IsKnown():
		return InvalidParam("capture", "capture must be full, redacted or none")
	case s.ErrorFormat != "" && s.ErrorFormat != FormatFlat && s.ErrorFormat != FormatOpenAI:
		return InvalidParam("error_format", "the error format must be flat or openai")
	case s.User != "" && !IsUser(s.User):
		return InvalidParam("user", "a user must have at most 128 printable ASCII characters")
	case s.Agent != "" && !IsAgent(s.Agent):
		return InvalidParam("agent", "an agent must have at most 32 of a-z, 0-9, dot, underscore and dash")
	case s.countTextBytes() > maxTextBytes:
		return InvalidParam("settings", "name, scopes, models, tags and baseline model must have at most 8 KiB together").
			With("bytes", s.countTextBytes()).With("limit", maxTextBytes)
	}
	s.ExpiresAt = s.ExpiresAt.Truncate(time.Microsecond)
	return s.Limits.Validate()
}

func areKnownScopes(list []string) bool {
	for i, v := range list {
		if !slices.Contains(scopes, v) || slices.Contains(list[:i], v) {
			return false
		}
	}
	return true
}

func (s *Key) countTextBytes() int {
	n := len(s.Name) + len(s.BaselineModel)
	for _, text := range slices.Concat(s.Scopes, s.Models, s.Tags) {
		n += len(text)
	}
	return n
}
