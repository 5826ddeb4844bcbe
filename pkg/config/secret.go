package config

import "log/slog"

// Secret is a value that no print, log or JSON ever shows.
type Secret string

const hidden = "***"

// String hides the value.
func (s Secret) String() string { return hidden }

// GoString hides the value from %#v.
func (s Secret) GoString() string { return hidden }

// LogValue hides the value from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal returns the value, at the one place that needs it.
func (s Secret) Reveal() string { return string(s) }
