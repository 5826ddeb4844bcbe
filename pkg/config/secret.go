package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a value that no print, log or JSON ever shows.
type Secret string

const hidden = "***"

// String hides the value.
func (s Secret) String() string { return hidden }

// Format hides the value from every verb, also from wrong ones: fmt prints
// those raw. It cannot help in an unexported field, which fmt reads without
// asking, so a Secret belongs in exported ones.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal returns the value, at the one place that needs it.
func (s Secret) Reveal() string { return string(s) }
