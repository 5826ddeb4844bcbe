// Package jsonvalue converts values to their form in the JSON of the API, and
// back. Missing values become null, lists are never null, times have one
// format, and EnumNames gives the numbers of keyauth's enums their names. The
// packages that write or read JSON use it.
package jsonvalue

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

// EnumNames lists the names of a protobuf enum.
type EnumNames[N ~int32] []enumName[N]

// Captures names how much of a request is stored.
var Captures = EnumNames[keyauthv1.Capture]{
	{keyauthv1.Capture_CAPTURE_FULL, "full"},
	{keyauthv1.Capture_CAPTURE_REDACTED, "redacted"},
	{keyauthv1.Capture_CAPTURE_NONE, "none"},
}

// ErrorFormats names the format of errors.
var ErrorFormats = EnumNames[keyauthv1.ErrorFormat]{
	{keyauthv1.ErrorFormat_ERROR_FORMAT_FLAT, "flat"},
	{keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI, "openai"},
}

// KeyStates names the state of a key.
var KeyStates = EnumNames[keyauthv1.KeyState]{
	{keyauthv1.KeyState_KEY_STATE_ACTIVE, "active"},
	{keyauthv1.KeyState_KEY_STATE_REVOKED, "revoked"},
	{keyauthv1.KeyState_KEY_STATE_EXPIRED, "expired"},
}

// Roles names the role of a user.
var Roles = EnumNames[keyauthv1.Role]{
	{keyauthv1.Role_ROLE_VIEWER, "viewer"},
	{keyauthv1.Role_ROLE_MEMBER, "member"},
	{keyauthv1.Role_ROLE_OWNER, "owner"},
}

// ParseOptional returns the number of a name. For an empty name it returns 0, which
// means unspecified.
func (v EnumNames[N]) ParseOptional(param, text string) (N, error) {
	if text == "" {
		return 0, nil
	}
	return v.ParseRequired(param, text)
}

// ParseRequired returns the number of a name. It rejects an empty name.
func (v EnumNames[N]) ParseRequired(param, text string) (N, error) {
	for _, w := range v {
		if w.text == text {
			return w.number, nil
		}
	}
	allowed := v.allowedNames()
	return 0, apperr.New(apperr.InvalidRequest, fmt.Sprintf("%s must be one of %s", param, strings.Join(allowed, ", "))).With("param", param).With("allowed", allowed)
}

func (v EnumNames[N]) allowedNames() []string {
	return ConvertAll(v, func(w enumName[N]) string { return w.text })
}

// ToName returns the name of a number, or nil if the number has no name.
func (v EnumNames[N]) ToName(n N) *string {
	for _, w := range v {
		if w.number == n {
			return &w.text
		}
	}
	return nil
}

// timeFormat is RFC 3339 in UTC with microseconds and a fixed length.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// FormatTime returns a time in the format of the API.
func FormatTime(t time.Time) string { return t.UTC().Format(timeFormat) }

// FormatTimestamp returns nil for a missing time.
func FormatTimestamp(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := FormatTime(t.AsTime())
	return &text
}

// FormatTimeOrNull returns null for the zero time.
func FormatTimeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := FormatTime(t)
	return &text
}

// NullIfZero returns nil for the zero value. JSON encodes nil as null.
func NullIfZero[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// ValidText replaces invalid UTF-8, which gRPC cannot send.
func ValidText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// ConvertAll converts each item. It never returns nil, so that JSON encodes an
// empty list as [].
func ConvertAll[P, J any](all []P, to func(P) J) []J {
	out := make([]J, 0, len(all))
	for _, p := range all {
		out = append(out, to(p))
	}
	return out
}

// OrEmpty returns an empty list for nil. JSON encodes nil as null.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// OrEmptyMap is like OrEmpty for maps.
func OrEmptyMap[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}
