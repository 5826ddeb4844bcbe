package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// readBounds reads an exact number or {gte, gt, lte, lt}. The results are inclusive and
// are integers in units of 10^-digits. A nil result means that the bound is missing or
// invalid.
func (c *compiler) readBounds(v value, digits int) (lower, upper *int64) {
	if _, ok := v.node.(ast.MapNode); !ok {
		n, ok := c.readNumber(v, digits)
		if !ok {
			return nil, nil
		}
		return &n, &n
	}
	f := c.readFields(v, "gte", "gt", "lte", "lt")
	lower, upper = c.readBound(v, f, "gte", "gt", 1, digits), c.readBound(v, f, "lte", "lt", -1, digits)
	switch {
	case len(f) == 0:
		c.reportProblem(v, CodeBadCondition, "must be a number, or a range such as {gte: 10, lt: 20}")
	case upper != nil && *upper < 0:
		c.reportProblem(v, CodeDeadRule, "the value is never negative, so the rule never applies")
	case lower != nil && upper != nil && *lower > *upper:
		c.reportProblem(v, CodeDeadRule, "the lower bound is above the upper bound, so the rule never applies")
	}
	return lower, upper
}

// readBound reads one end of a range. The strict form (gt or lt) excludes its number, so
// readBound adds step to that number.
func (c *compiler) readBound(v value, f map[string]value, inclusive, strict string, step int64, digits int) *int64 {
	in, ok := f[inclusive]
	out, ok2 := f[strict]
	switch {
	case ok && ok2:
		c.reportProblem(v, CodeBadCondition, "use either %q or %q, not both", inclusive, strict)
	case ok:
		if n, ok := c.readNumber(in, digits); ok {
			return &n
		}
	case ok2:
		if n, ok := c.readNumber(out, digits); ok {
			n += step
			return &n
		}
	}
	return nil
}

// maxBound is small enough that sums of bounds cannot overflow.
const maxBound = 1 << 50

func (c *compiler) readNumber(v value, digits int) (int64, bool) {
	text, ok := c.readString(v)
	if !ok {
		return 0, false
	}
	bare, negative := strings.CutPrefix(text, "-")
	n, err := parseDecimal(bare, digits)
	if err != nil || n > maxBound || negative && digits > 0 {
		want := "a whole number"
		if digits > 0 {
			want = fmt.Sprintf("a number of at least 0 with at most %d decimal place", digits)
		}
		c.reportProblem(v, CodeBadCondition, "must be %s", want)
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

const minutesPerDay = 24 * 60

// readWindow reads a part of the day in UTC, such as 08:00-18:00.
func (c *compiler) readWindow(v value) *Window {
	text, ok := c.readString(v)
	if !ok {
		return nil
	}
	from, to, _ := strings.Cut(text, "-")
	w := &Window{From: parseMinutes(from), To: parseMinutes(to)}
	switch {
	case w.From < 0 || w.To < 0 || w.From == minutesPerDay:
		c.reportProblem(v, CodeBadCondition, "must be a part of the day in UTC, such as 08:00-18:00, or 22:00-06:00 across midnight")
	case w.From == w.To:
		c.reportProblem(v, CodeDeadRule, "the window is empty, so the rule never applies: write 00:00-24:00 for the whole day")
	}
	return w
}

// parseMinutes returns the minutes since midnight of a time such as 08:30, up to
// 24:00. It returns -1 for any other string.
func parseMinutes(text string) int {
	hour, minute, _ := strings.Cut(strings.TrimSpace(text), ":")
	h, err := strconv.ParseUint(hour, 10, 8)
	m, err2 := strconv.ParseUint(minute, 10, 8)
	if err != nil || err2 != nil || len(minute) != 2 || m > 59 || h*60+m > minutesPerDay {
		return -1
	}
	return int(h*60 + m)
}

// readWeekdays reads days such as mon, and ranges such as mon-fri.
func (c *compiler) readWeekdays(v value) []string {
	entries, at := c.readStringOrList(v, CodeBadCondition)
	days := weekdayNames()
	c.words.addValues(v, days...)
	on := [7]bool{}
	for i, entry := range entries {
		from, to, isRange := strings.Cut(strings.ToLower(entry), "-")
		if !isRange {
			to = from
		}
		first, last := slices.Index(days, from), slices.Index(days, to)
		if first < 0 || last < 0 {
			c.reportUnknownName(at[i], CodeBadCondition, from, days, "must be days such as mon, or ranges such as mon-fri")
			continue
		}
		for d := first; ; d = (d + 1) % 7 {
			on[d] = true
			if d == last {
				break
			}
		}
	}
	var all []string
	for d, yes := range on {
		if yes {
			all = append(all, days[d])
		}
	}
	return all
}
