package web

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// enumName pairs a protobuf enum number with its name in JSON.
type enumName[N ~int32] struct {
	number N
	text   string
}

type enumNames[N ~int32] []enumName[N]

var captures = enumNames[keyauthv1.Capture]{
	{keyauthv1.Capture_CAPTURE_FULL, "full"},
	{keyauthv1.Capture_CAPTURE_REDACTED, "redacted"},
	{keyauthv1.Capture_CAPTURE_NONE, "none"},
}

var errorFormats = enumNames[keyauthv1.ErrorFormat]{
	{keyauthv1.ErrorFormat_ERROR_FORMAT_FLAT, "flat"},
	{keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI, "openai"},
}

var keyStates = enumNames[keyauthv1.KeyState]{
	{keyauthv1.KeyState_KEY_STATE_ACTIVE, "active"},
	{keyauthv1.KeyState_KEY_STATE_REVOKED, "revoked"},
	{keyauthv1.KeyState_KEY_STATE_EXPIRED, "expired"},
}

var roles = enumNames[keyauthv1.Role]{
	{keyauthv1.Role_ROLE_VIEWER, "viewer"},
	{keyauthv1.Role_ROLE_MEMBER, "member"},
	{keyauthv1.Role_ROLE_OWNER, "owner"},
}

// parseOptional returns the number of a name. For an empty name it returns 0, which
// means unspecified.
func (v enumNames[N]) parseOptional(param, text string) (N, error) {
	if text == "" {
		return 0, nil
	}
	return v.parseRequired(param, text)
}

// parseRequired returns the number of a name. It rejects an empty name.
func (v enumNames[N]) parseRequired(param, text string) (N, error) {
	for _, w := range v {
		if w.text == text {
			return w.number, nil
		}
	}
	allowed := v.allowedNames()
	return 0, invalidParam(param, fmt.Sprintf("%s must be one of %s", param, strings.Join(allowed, ", "))).With("allowed", allowed)
}

func (v enumNames[N]) allowedNames() []string {
	return convertAll(v, func(w enumName[N]) string { return w.text })
}

// toName returns the name of a number, or nil if the number has no name.
func (v enumNames[N]) toName(n N) *string {
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

// nullIfZero returns nil for the zero value. JSON encodes nil as null.
func nullIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// validText replaces invalid UTF-8, which gRPC cannot send.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// convertAll converts each item. It never returns nil, so that JSON encodes an
// empty list as [].
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
