package policy

import (
	"errors"
	"strconv"
	"strings"
)

// errDecimal is shown beside the value that is wrong.
var errDecimal = errors.New("not a decimal number")

// decimal reads a number such as 0.05 as a whole number of its last wanted
// digit, without ever being a float: decimal("0.05", 6) is 50000. Digits
// beyond that must be zeros, for nothing is rounded away.
func decimal(text string, digits int) (int64, error) {
	whole, fraction, dot := strings.Cut(text, ".")
	if whole == "" || dot && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return 0, errDecimal
	}
	if len(fraction) > digits {
		if strings.Trim(fraction[digits:], "0") != "" {
			return 0, errors.New("more digits than can be kept")
		}
		fraction = fraction[:digits]
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", digits-len(fraction)), 10, 64)
	if err != nil {
		return 0, errors.New("too large")
	}
	return n, nil
}

func allDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }
