package stats

import (
	"fmt"
	"strings"
)

// FormatThousands formats a whole number with thousands separators.
func FormatThousands(v float64) string {
	text := fmt.Sprintf("%.0f", v)
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return sign + text
}

// FormatRatio formats a ratio with two decimals.
func FormatRatio(v float64) string { return fmt.Sprintf("%.2f", v) }

// FormatVerdict says whether a target is met; met is nil if there is none.
func FormatVerdict(met *bool) string {
	switch {
	case met == nil:
		return ""
	case *met:
		return "met"
	}
	return "NOT met"
}
