package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
)

const (
	minus   = "\u2212"
	unknown = "\u2014"
	// dollar is one in nano-USD.
	dollar = 1_000_000_000
)

// formats are the functions that templates may call.
func formats() template.FuncMap {
	return template.FuncMap{
		"money": tableMoney, "total": totalMoney, "share": share, "count": grouped, "span": span,
		"clock": func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"iso":   timeText,
		"dash":  dash, "failed": failed, "roles": roles.words,
		"text": func(b []byte) string { return validText(string(b)) },
		"value": func(p *string) string {
			if p == nil {
				return unknown
			}
			return *p
		},
	}
}

// dash stands for what there is none of.
func dash(s string) string {
	if s == "" {
		return unknown
	}
	return s
}

// tableMoney has six decimals, nine below a millionth, and never shows an
// unknown price as 0.
func tableMoney(n *int64) string {
	switch {
	case n == nil:
		return unknown
	case *n == 0:
		return "0"
	case *n > -1000 && *n < 1000:
		return decimals(*n, 9)
	}
	return decimals(*n, 6)
}

// totalMoney has two decimals from a dollar on, and four digits that count
// below.
func totalMoney(n int64) string {
	switch {
	case n == 0:
		return "$0"
	case n <= -dollar || n >= dollar:
		return decimals(n, 2)
	}
	digits := len(strings.TrimPrefix(strconv.FormatInt(n, 10), "-"))
	return decimals(n, max(2, min(9, 9-digits+4)))
}

// decimals writes nano-USD in dollars, rounded half up.
func decimals(n int64, places int) string {
	sign, abs := "", uint64(n)
	if n < 0 {
		sign, abs = minus, -uint64(n)
	}
	unit := uint64(1)
	for range 9 - places {
		unit *= 10
	}
	abs = (abs + unit/2) / unit
	per := dollar / unit
	if abs == 0 {
		sign = ""
	}
	return fmt.Sprintf("%s$%s.%0*d", sign, grouped(int64(abs/per)), places, abs%per)
}

// grouped sets thousands apart.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(text) - 3; i > start; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return strings.Replace(text, "-", minus, 1)
}

// share is a part in per cent; empty when there is nothing to be a part of.
func share(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	percent := float64(part) / float64(whole) * 100
	if percent >= 10 || percent <= -10 {
		return strings.Replace(fmt.Sprintf("%.0f %%", percent), "-", minus, 1)
	}
	return strings.Replace(fmt.Sprintf("%.1f %%", percent), "-", minus, 1)
}

// span is a length of time given in microseconds.
func span(us int64) string {
	switch d := time.Duration(us) * time.Microsecond; {
	case us == 0:
		return unknown
	case d < time.Millisecond:
		return fmt.Sprintf("%d \u00b5s", us)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	default:
		return d.Round(time.Second).String()
	}
}
