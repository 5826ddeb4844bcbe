package cli

import (
	"strconv"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// FormatCount formats n without separators.
func FormatCount(n int64) string { return strconv.FormatInt(n, 10) }

// FormatUSD formats nano-USD exactly, without rounding.
func FormatUSD(nano int64) string {
	if text, negative := strings.CutPrefix(catalog.FormatUSD(nano), "-"); negative {
		return "-$" + text
	}
	return "$" + catalog.FormatUSD(nano)
}

// FormatOptionalUSD formats nano-USD, or returns "unpriced" if nano is nil.
func FormatOptionalUSD(nano *int64) string {
	if nano == nil {
		return "unpriced"
	}
	return FormatUSD(*nano)
}

// Group identifies one group of a report of the API. ID is nil for records without a value.
type Group struct {
	ID    *string `json:"group"`
	Name  *string `json:"name"`
	Other bool    `json:"other"`
}

// Label returns the text for the group in a table.
func (g Group) Label() string {
	switch {
	case g.Other:
		return "(all others)"
	case g.ID == nil:
		return "(none)"
	case g.Name != nil:
		return *g.Name + " (" + *g.ID + ")"
	}
	return *g.ID
}

// DashIfNil returns the text of s, or "-" if s is nil.
func DashIfNil(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}

// NullIfEmpty makes JSON show null instead of an empty text.
func NullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
