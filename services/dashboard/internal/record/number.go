package record

import (
	"math"
	"strconv"
	"strings"
)

// unit is what a number may be typed in, and how much of the stored one it is:
// ten to a power, times a factor for the few that are not decimal.
type unit struct {
	name    string
	power   int
	times   int64
	example string // of the field that has it first
}

// The units of money, in nano-USD, of spans, in microseconds, and of what is
// counted. Longer names come before the shorter ones that they end in.
var (
	amounts = []unit{
		{name: "u", power: 3, times: 1, example: "500u, 2m or $1.5"},
		{name: "m", power: 6, times: 1},
		{name: "n", power: 0, times: 1},
		{name: "$", power: 9, times: 1},
	}
	spans = []unit{
		{name: "us", power: 0, times: 1, example: "300us, 20ms or 2s"},
		{name: "ms", power: 3, times: 1},
		{name: "s", power: 6, times: 1},
		{name: "m", power: 6, times: 60},
	}
	counts = []unit{
		{name: "k", power: 3, times: 1, example: "200 or 10k"},
		{name: "M", power: 6, times: 1},
		{name: "", power: 0, times: 1},
	}
)

// parseNumber reads digits with a unit, which only 0 does without. What does
// not come out as a whole number that fits is refused, not rounded.
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
		n, ok := u.scale(digits)
		if negative {
			n = -n
		}
		return n, ok
	}
	return 0, false
}

func (u unit) scale(digits string) (int64, bool) {
	whole, part, dotted := strings.Cut(digits, ".")
	if whole == "" || dotted && part == "" || strings.Trim(whole+part, "0123456789") != "" {
		return 0, false
	}
	part = strings.TrimRight(part, "0")
	if len(part) > u.power {
		return 0, false
	}
	n, err := strconv.ParseInt(whole+part+strings.Repeat("0", u.power-len(part)), 10, 64)
	if err != nil || n > math.MaxInt64/u.times {
		return 0, false
	}
	return n * u.times, true
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
