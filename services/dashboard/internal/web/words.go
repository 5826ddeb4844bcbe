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

var roles = vocabulary[keyauthv1.Role]{
	{keyauthv1.Role_ROLE_VIEWER, "viewer"},
	{keyauthv1.Role_ROLE_MEMBER, "member"},
	{keyauthv1.Role_ROLE_OWNER, "owner"},
}

// number reads a word; empty is what leaves it open.
func (v vocabulary[N]) number(param, text string) (N, error) {
	if text == "" {
		return 0, nil
	}
	return v.need(param, text)
}

// need reads a word that must be there.
func (v vocabulary[N]) need(param, text string) (N, error) {
	for _, w := range v {
		if w.text == text {
			return w.number, nil
		}
	}
	allowed := v.words()
	return 0, badParam(param, fmt.Sprintf("%s must be one of %s", param, strings.Join(allowed, ", "))).With("allowed", allowed)
}

func (v vocabulary[N]) words() []string {
	return each(v, func(w word[N]) string { return w.text })
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

// each is never null either.
func each[P, J any](all []P, to func(P) J) []J {
	out := make([]J, 0, len(all))
	for _, p := range all {
		out = append(out, to(p))
	}
	return out
}

func notFound(what string) error {
	return apperr.New(apperr.NotFound, "there is no such "+what)
}
