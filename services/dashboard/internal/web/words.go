package web

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/signalbox/signalbox/pkg/apperr"
	keyauthv1 "github.com/signalbox/signalbox/proto/signalbox/keyauth/v1"
)

// word pairs a number on the wire with the word in JSON.
type word[N ~int32] struct {
	number N
	text   string
}

type vocabulary[N ~int32] []word[N]

var captures = vocabulary[keyauthv1.Capture]{
	{keyauthv1.Capture_CAPTURE_FULL, "full"},
	{keyauthv1.Capture_CAPTURE_REDACTED, "redacted"},
	{keyauthv1.Capture_CAPTURE_NONE, "none"},
}

var errorFormats = vocabulary[keyauthv1.ErrorFormat]{
	{keyauthv1.ErrorFormat_ERROR_FORMAT_FLAT, "flat"},
	{keyauthv1.ErrorFormat_ERROR_FORMAT_OPENAI, "openai"},
}

var keyStates = vocabulary[keyauthv1.KeyState]{
	{keyauthv1.KeyState_KEY_STATE_ACTIVE, "active"},
	{keyauthv1.KeyState_KEY_STATE_REVOKED, "revoked"},
	{keyauthv1.KeyState_KEY_STATE_EXPIRED, "expired"},
}

// number reads a word; empty is what leaves it open.
func (v vocabulary[N]) number(param, text string) (N, error) {
	if text == "" {
		return 0, nil
	}
	var allowed []string
	for _, w := range v {
		if w.text == text {
			return w.number, nil
		}
		allowed = append(allowed, w.text)
	}
	return 0, badParam(param, fmt.Sprintf("%s must be one of %s", param, strings.Join(allowed, ", "))).With("allowed", allowed)
}

// word is nil when it is left open.
func (v vocabulary[N]) word(n N) *string {
	for _, w := range v {
		if w.number == n {
			return &w.text
		}
	}
	return nil
}

// timeFormat is RFC 3339 with microseconds, always UTC, always as long.
const timeFormat = "2006-01-02T15:04:05.000000Z"

func timeText(t time.Time) string { return t.UTC().Format(timeFormat) }

// stampText is nil for a time that is not there.
func stampText(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := timeText(t.AsTime())
	return &text
}

// orNull makes what is empty null: there is none, rather than an empty one.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// validText makes what came from outside a text that can be sent on.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// list is never null.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func notFound(what string) error {
	return apperr.New(apperr.NotFound, "there is no such "+what)
}
