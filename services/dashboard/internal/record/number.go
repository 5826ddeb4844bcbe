package record

import (
	"math"
	"strconv"
	"strings"
)

// unit is a unit in which a number may be typed. One unit equals factor *
// 10^exponent stored units.
type unit struct {
	name     string
	exponent int
	factor   int64
	example  string // for error messages; only the first unit of a list has one
}

// The units of money, durations and counts. Money is stored in nano-USD and
// durations in microseconds. If a name ends in another name of its list, the
// longer name must come first.
var (
	moneyUnits = []unit{
		{name: "u", exponent: 3, factor: 1, example: "500u, 2m or $1.5"},
		{name: "m", exponent: 6, factor: 1},
		{name: "n", exponent: 0, factor: 1},
		{name: "$", exponent: 9, factor: 1},
	}
	durationUnits = []unit{
		{name: "us", exponent: 0, factor: 1, example: "300us, 20ms or 2s"},
		{name: "ms", exponent: 3, factor: 1},
		{name: "s", exponent: 6, factor: 1},
		{name: "m", exponent: 6, factor: 60},
	}
	countUnits = []unit{
		{name: "k", exponent: 3, factor: 1, example: "200 or 10k"},
		{name: "M", exponent: 6, factor: 1},
		{name: "", exponent: 0, factor: 1},
	}
)

// parseNumber parses digits with a unit. Zero needs no unit. It rejects a value
// that does not fit, or that would have to be rounded to whole stored units.
func parseNumber(text string, units []unit) (int64, bool) {
	text, negative := strings.CutPrefix(text, "-")
	if rest, ok := strings.CutPrefix(text, "$"); ok {
		text = rest + "$"
	}
	if text == "0" {
		return 0, true
	}
	for _, u := range units {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, ok := u.parseDigits(digits)
		if negative {
			n = -n
		}
		return n, ok
	}
	return 0, false
}

func (u unit) parseDigits(digits string) (int64, bool) {
	whole, part, dotted := strings.Cut(digits, ".")
	if whole == "" || dotted && part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return 0, false
	}
	part = strings.TrimRight(part, "0")
	if len(part) > u.exponent {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", u.exponent-len(part)), 10, 64)
	if err != nil || n > math.MaxInt64/u.factor {
		return 0, false
	}
	return n * u.factor, true
}

func unitNames(units []unit) []string {
	var names []string
	for _, u := range units {
		if u.name != "" {
			names = append(names, u.name)
		}
	}
	return names
}
