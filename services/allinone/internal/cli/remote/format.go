package remote

import (
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
)

// FormatJSONTime formats a time as in the JSON API. It returns nil if t is not set.
func FormatJSONTime(t *timestamppb.Timestamp) *string {
	if t == nil {
		return nil
	}
	text := t.AsTime().Format(time.RFC3339Nano)
	return &text
}

// FormatTableTime formats a time for a table, or returns "-" if t is not set.
func FormatTableTime(t *timestamppb.Timestamp) string {
	if t == nil {
		return "-"
	}
	return t.AsTime().Format("2006-01-02 15:04:05Z")
}

// EnumWord returns an enum value as in the JSON API: in lower case, without its prefix.
// It returns an empty string for the unspecified value.
func EnumWord(enum fmt.Stringer, prefix string) string {
	w := strings.ToLower(strings.TrimPrefix(enum.String(), prefix))
	if w == "unspecified" {
		return ""
	}
	return w
}
