package web

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// enumWord pairs a protobuf enum number with its word in JSON.
type enumWord[N ~int32] struct {
	number N
	text   string
}

type enumWords[N ~int32] []enumWord[N]

var captures = enumWords[keyauthv1.Capture]{
	{keyauthv1.Capture_CAPTURE_FULL, "full"},
	{keyauthv1.Capture_CAPTURE_REDACTED, "redacted"},
	{keyauthv1.Capture_CAPTURE_NONE, "none"},
}

var errorFormats = enumWords[keyauthv1.ErrorFormat]{
	{keyauthv1.ErrorFormat_ERROR_FORMAT_FLAT, "flat"},
	{keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI, "openai"},
}

var keyStates = enumWords[keyauthv1.KeyState]{
	{keyauthv1.KeyState_KEY_STATE_ACTIVE, "active"},
	{keyauthv1.KeyState_KEY_STATE_REVOKED, "revoked"},
	{keyauthv1.KeyState_KEY_STATE_EXPIRED, "expired"},
}

var roles = enumWords[keyauthv1.Role]{
	{keyauthv1.Role_ROLE_VIEWER, "viewer"},
	{keyauthv1.Role_ROLE_MEMBER, "member"},
	{keyauthv1.Role_ROLE_OWNER, "owner"},
}

// parseOptional converts a word to its number; empty means unspecified.
func (v enumWords[N]) parseOptional(param, text string) (N, error) {
	if text == "" {
		return 0, nil
	}
	return v.parseRequired(param, text)
}

// parseRequired converts a word that must be given.
func (v enumWords[N]) parseRequired(param, text string) (N, error) {
	for _, w := range v {
		if w.text == text {
			return w.number, nil
		}
	}
	allowed := v.allowedWords()
	return 0, invalidParam(param, fmt.Sprintf("%s must be one of %s", param, strings.Join(allowed, ", "))).With("allowed", allowed)
}

func (v enumWords[N]) allowedWords() []string {
	return convertAll(v, func(w enumWord[N]) string { return w.text })
}

// toWord returns nil for an unspecified number.
func (v enumWords[N]) toWord(n N) *string {
	for _, w := range v {
		if w.number == n {
			return &w.text
		}
	}
	return nil
}

// timeFormat is RFC 3339 in UTC with microseconds and a fixed length.
const timeFormat = "2006-01-02T15:04:05.000000Z"

func formatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// formatTimestamp returns nil for a missing time.
func formatTimestamp(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := formatTime(t.AsTime())
	return &text
}

// nullIfZero returns nil for the zero value, which JSON shows as null.
func nullIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// validText replaces invalid UTF-8, which gRPC cannot send.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// convertAll converts each item. It never returns nil, so JSON shows [].
func convertAll[P, J any](all []P, to func(P) J) []J {
	out := make([]J, 0, len(all))
	for _, p := range all {
		out = append(out, to(p))
	}
	return out
}

func notFoundError(what string) error {
	return apperr.New(apperr.NotFound, "the "+what+" does not exist")
}
