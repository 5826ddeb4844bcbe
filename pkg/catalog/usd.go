package catalog

import "strconv"

// Decimal places of nano-USD, pico-USD per million tokens and pico-USD in dollars,
// and the smallest number of decimals to show.
const (
	nanoPlaces    = 9
	millionPlaces = 6
	picoPlaces    = 12
	minDecimals   = 2
	maxUSDLength  = 24
)

// FormatUSD formats nano-USD as dollars, exactly, with at least two decimals.
func FormatUSD(nano int64) string { return string(AppendUSD(make([]byte, 0, maxUSDLength), nano)) }

// AppendUSD appends what FormatUSD returns.
func AppendUSD(dst []byte, nano int64) []byte {
	return appendDecimal(dst, nano, nanoPlaces, minDecimals)
}

// FormatPerMillion formats a price in pico-USD per token as dollars per million
// tokens, exactly, with at least two decimals.
func FormatPerMillion(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, millionPlaces, minDecimals))
}

// FormatPerToken formats a price in pico-USD per token as dollars, exactly.
func FormatPerToken(pico int64) string {
	return string(appendDecimal(make([]byte, 0, maxUSDLength), pico, picoPlaces, 0))
}

// appendDecimal appends n / 10^places. It omits trailing zeros, but writes at least
// the given number of decimals.
func appendDecimal(dst []byte, n int64, places, least int) []byte {
	rest := uint64(n) //nolint:gosec // a negative number is negated below
	if n < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	unit := uint64(1)
	for range places {
		unit *= 10
	}
	dst = strconv.AppendUint(dst, rest/unit, 10)
	if rest %= unit; rest > 0 || least > 0 {
		dst = append(dst, '.')
	}
	for ; rest > 0 || least > 0; least-- {
		unit /= 10
		dst = append(dst, '0'+byte(rest/unit))
		rest %= unit
	}
	return dst
}
