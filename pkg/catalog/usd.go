package catalog

import (
	"strconv"
	"strings"
)

const (
	// An amount is divided by these units to get dollars: nanoUnit for nano-USD and picoUnit
	// for pico-USD. millionUnit converts pico-USD per token to dollars per million tokens.
	nanoUnit    = 1_000_000_000
	millionUnit = 1_000_000
	picoUnit    = 1_000_000_000_000
	// minDecimals is the smallest number of decimal places to show.
	minDecimals = 2
	// maxUSDLength is enough bytes for any formatted amount.
	maxUSDLength = 24
	// nanoPlaces is the number of decimal places of nano-USD.
	nanoPlaces = 9
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
	return appendDecimal(dst, nano, nanoUnit, minDecimals)
}

// AppendMicroUSD works like AppendUSD for an amount in micro-USD. Decisions with a session append
// several amounts. It is three times as fast for less than ten dollars, because it divides only by
// constants, and no digit waits for another one.
func AppendMicroUSD(dst []byte, micro int64) []byte {
	if micro < 0 || micro >= 10*millionUnit {
		return appendDecimal(dst, micro, millionUnit, minDecimals)
	}
	shortest := len(dst) + len("0.") + minDecimals
	dst = append(dst, '0'+byte(micro/1_000_000), '.', '0'+byte(micro/100_000%10), '0'+byte(micro/10_000%10),
		'0'+byte(micro/1000%10), '0'+byte(micro/100%10), '0'+byte(micro/10%10), '0'+byte(micro%10))
	for len(dst) > shortest && dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// FormatPerMillion formats a price in pico-USD per token as dollars per million
// tokens, exactly, with at least two decimal places.
func FormatPerMillion(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, millionUnit, minDecimals))
}

// FormatPerToken formats a price in pico-USD per token as dollars, exactly.
func FormatPerToken(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, picoUnit, 0))
}

// appendDecimal appends n / unit, where unit is a power of 10. It omits trailing zeros, but
// writes at least minPlaces decimal places.
func appendDecimal(dst []byte, n int64, unit uint64, minPlaces int) []byte {
	rest := uint64(n) //nolint:gosec // a negative number is negated below
	if n < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	dst = strconv.AppendUint(dst, rest/unit, 10)
	var scratch [maxUSDLength]byte
	decimals := strconv.AppendUint(scratch[:0], unit+rest%unit, 10)[1:] // all places, without the 1 of the unit
	for len(decimals) > minPlaces && decimals[len(decimals)-1] == '0' {
		decimals = decimals[:len(decimals)-1]
	}
	if len(decimals) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, decimals...)
}
