// Package setting holds what users can set on a key or an account, with its checks:
// limits, capture, error format and the settings of a key. It also checks the texts that
// users type: names, e-mail addresses and passwords. It depends on no account.
package setting

import "github.com/signalbox/signalbox/pkg/apperr"

// Capture is how much content of requests and responses is stored. Empty means the
// setting of the account. If that is empty too, the installation's setting applies.
type Capture string

// The capture modes.
const (
	CaptureFull     Capture = "full"
	CaptureRedacted Capture = "redacted"
	CaptureNone     Capture = "none"
)

// IsKnown reports whether c is a capture mode or empty.
func (c Capture) IsKnown() bool {
	return c == "" || c == CaptureFull || c == CaptureRedacted || c == CaptureNone
}

// ErrorFormat is the format of error responses. Empty means flat.
type ErrorFormat string

// The error formats.
const (
	FormatFlat   ErrorFormat = "flat"
	FormatOpenAI ErrorFormat = "openai"
)

// InvalidParam returns an INVALID_REQUEST error that names the parameter.
func InvalidParam(param, message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", param)
}
