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
