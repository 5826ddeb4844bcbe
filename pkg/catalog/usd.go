package catalog

import "strconv"

// Places of the point in dollars: nano-dollars, pico-dollars a million, and
// pico-dollars; cents are what is shown at least.
const (
	nanoPlaces    = 9
	millionPlaces = 6
	picoPlaces    = 12
	cents         = 2
	longestUSD    = 24
)

// USD writes nano-dollars as a decimal of dollars, exactly, with at least two
// places.
func USD(nano int64) string { return string(AppendUSD(make([]byte, 0, longestUSD), nano)) }

// AppendUSD appends what USD writes.
func AppendUSD(dst []byte, nano int64) []byte { return appendDecimal(dst, nano, nanoPlaces, cents) }

// PerMillion writes a price in pico-dollars a token as dollars per million of
// them, exactly, with at least two places.
func PerMillion(pico int64) string {
	return string(appendDecimal(make([]byte, 0, longestUSD), pico, millionPlaces, cents))
}

// PerToken writes a price in pico-dollars as a decimal of dollars, exactly.
func PerToken(pico int64) string {
	return string(appendDecimal(make([]byte, 0, longestUSD), pico, picoPlaces, 0))
}

// appendDecimal moves the point of a whole number by places, of which it writes
// as many as say something, or the least.
func appendDecimal(dst []byte, n int64, places, least int) []byte {
	rest := uint64(n) //nolint:gosec // what is negative is made positive next
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
