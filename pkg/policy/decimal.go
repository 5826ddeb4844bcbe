package policy

import (
	"errors"
	"strconv"
	"strings"
)

// errDecimal means that a string is not a decimal number.
var errDecimal = errors.New("not a decimal number")

// parseDecimal parses a number such as 0.05 in units of 10^-digits, without floating
// point: parseDecimal("0.05", 6) is 50000. It never rounds. Decimal places after the
// given number of digits must be zero.
func parseDecimal(text string, digits int) (int64, error) {
	whole, fraction, dot := strings.Cut(text, ".")
	if whole == "" || dot && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return 0, errDecimal
	}
	if len(fraction) > digits {
		if strings.Trim(fraction[digits:], "0") != "" {
			return 0, errors.New("too many decimal digits")
		}
		fraction = fraction[:digits]
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return 0, errors.New("number too large")
	}
	return n, nil
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
