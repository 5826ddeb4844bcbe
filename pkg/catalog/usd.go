package catalog

import (
	"strconv"
	"strings"
)

const (
	// An amount is divided by 10^places to get dollars: nanoPlaces for nano-USD and
	// picoPlaces for pico-USD. millionPlaces converts pico-USD per token to dollars per
	// million tokens.
	nanoPlaces    = 9
	millionPlaces = 6
	picoPlaces    = 12
	// minDecimals is the smallest number of decimal places to show.
	minDecimals = 2
	// maxUSDLength is enough bytes for any formatted amount.
	maxUSDLength = 24
)

// FormatUSD formats nano-USD as dollars, exactly, with at least two decimal places.
func FormatUSD(nano int64) string { return string(AppendUSD(make([]byte, 0, maxUSDLength), nano)) }

// ParseUSD parses an amount in dollars such as 0.05 and returns nano-USD. It accepts digits and
// one decimal point only, and at most nine decimal places. It never rounds.
func ParseUSD(text string) (nano int64, ok bool) {
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if whole == "" || hasPoint && fraction == "" || len(fraction) > nanoPlaces {
		return 0, false
	}
	for _, digit := range []byte(whole + fraction) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", nanoPlaces-len(fraction)), 10, 64)
	return n, err == nil
}

// AppendUSD works like FormatUSD, but appends the result to dst.
func AppendUSD(dst []byte, nano int64) []byte {
	return appendDecimal(dst, nano, nanoPlaces, minDecimals)
}

// FormatPerMillion formats a price in pico-USD per token as dollars per million
// tokens, exactly, with at least two decimal places.
func FormatPerMillion(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, millionPlaces, minDecimals))
}

// FormatPerToken formats a price in pico-USD per token as dollars, exactly.
func FormatPerToken(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, picoPlaces, 0))
}

// appendDecimal appends n / 10^places. It omits trailing zeros, but writes at least
// minPlaces decimal places.
func appendDecimal(dst []byte, n int64, places, minPlaces int) []byte {
	rest := uint64(n) //nolint:gosec // a negative number is negated below
	if n < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	unit := uint64(1)
	for range places {
		unit *= 10
	}
	dst = strconv.AppendUint(dst, rest/unit, 10)
	if rest %= unit; rest > 0 || minPlaces > 0 {
		dst = append(dst, '.')
	}
	for ; rest > 0 || minPlaces > 0; minPlaces-- {
		unit /= 10
		dst = append(dst, '0'+byte(rest/unit))
		rest %= unit
	}
	return dst
}
