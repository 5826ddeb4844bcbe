package catalog

import (
	"strconv"
	"strings"
)

// USD writes nano-dollars as a decimal of dollars, exactly, with at least two
// places.
func USD(nano int64) string {
	s := decimal(nano, 9)
	point := strings.IndexByte(s, '.')
	return s[:point+3] + strings.TrimRight(s[point+3:], "0")
}

// PerMillion writes a price in pico-dollars a token as dollars per million of
// them, exactly, with at least two places.
func PerMillion(pico int64) string {
	s := decimal(pico, 6)
	point := strings.IndexByte(s, '.')
	return s[:point+3] + strings.TrimRight(s[point+3:], "0")
}

// PerToken writes a price in pico-dollars as a decimal of dollars, exactly.
func PerToken(pico int64) string {
	return strings.TrimRight(strings.TrimRight(decimal(pico, 12), "0"), ".")
}

// decimal moves the point of a whole number by places.
func decimal(n int64, places int) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	return sign + digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}
