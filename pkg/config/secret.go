package config

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a string that printing, logging and JSON encoding hide.
type Secret string

const hidden = "***"

// String hides the value.
func (s Secret) String() string { return hidden }

// Format hides the value for every fmt verb. Without Format, fmt would print the value for an
// invalid verb. fmt does not call Format for unexported fields, so use Secret only in
// exported fields.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }
