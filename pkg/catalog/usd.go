package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// USD writes nano-dollars as a decimal of dollars, exactly, with at least two
// places.
func USD(nano int64) string { return string(AppendUSD(nil, nano)) }

// AppendUSD writes it behind dst.
func AppendUSD(dst []byte, nano int64) []byte { return atLeastTwo(appendDecimal(dst, nano, 9), 9) }

// PerMillion writes a price in pico-dollars a token as dollars per million of
// them, exactly, with at least two places.
func PerMillion(pico int64) string { return string(atLeastTwo(appendDecimal(nil, pico, 6), 6)) }

// PerToken writes a price in pico-dollars as a decimal of dollars, exactly.
func PerToken(pico int64) string {
	return strings.TrimRight(strings.TrimRight(string(appendDecimal(nil, pico, 12)), "0"), ".")
}

// atLeastTwo takes zeros off the end of a number with so many places.
func atLeastTwo(number []byte, places int) []byte {
	for ; places > 2 && number[len(number)-1] == '0'; places-- {
		number = number[:len(number)-1]
	}
	return number
}

// appendDecimal moves the point of a whole number by places.
func appendDecimal(dst []byte, n int64, places int) []byte {
	from := len(dst)
	if n < 0 {
		from++
	}
	dst = strconv.AppendInt(dst, n, 10)
	for len(dst)-from <= places {
		dst = slices.Insert(dst, from, '0')
	}
	return slices.Insert(dst, len(dst)-places, '.')
}
