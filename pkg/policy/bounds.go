package policy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// bounds reads a number that must be met, or {gte, gt, lte, lt}, with so many
// decimals: in whole numbers of the last of them, both ends inclusive.
func (c *compiler) bounds(v value, digits int) (least, most *int64) {
	if _, ok := v.node.(ast.MapNode); !ok {
		n, ok := c.bound(v, digits)
		if !ok {
			return nil, nil
		}
		return &n, &n
	}
	f := c.fields(v, "gte", "gt", "lte", "lt")
	least, most = c.side(v, f, "gte", "gt", 1, digits), c.side(v, f, "lte", "lt", -1, digits)
	switch {
	case len(f) == 0:
		c.fail(v, CodeBadCondition, "want a number, or {gte: ...}, {gt: ...}, {lte: ...}, {lt: ...}")
	case most != nil && *most < 0:
		c.fail(v, CodeDeadRule, "nothing that is counted is less than 0, so that the rule never applies")
	case least != nil && most != nil && *least > *most:
		c.fail(v, CodeDeadRule, "no number is that large and that small, so that the rule never applies")
	}
	return least, most
}

// side is one end; the strict form of it excludes the number itself.
func (c *compiler) side(v value, f map[string]value, inclusive, strict string, step int64, digits int) *int64 {
	in, ok := f[inclusive]
	out, ok2 := f[strict]
	switch {
	case ok && ok2:
		c.fail(v, CodeBadCondition, "want either %s or %s", inclusive, strict)
	case ok:
		if n, ok := c.bound(in, digits); ok {
			return &n
		}
	case ok2:
		if n, ok := c.bound(out, digits); ok {
			n += step
			return &n
		}
	}
	return nil
}

// maxBound keeps sums of bounds far from overflow.
const maxBound = 1 << 50

func (c *compiler) bound(v value, digits int) (int64, bool) {
	text, ok := c.text(v)
	if !ok {
		return 0, false
	}
	bare, negative := strings.CutPrefix(text, "-")
	n, err := decimal(bare, digits)
	if err != nil || n > maxBound || negative && digits > 0 {
		want := "a whole number"
		if digits > 0 {
			want = fmt.Sprintf("a number with at most %d decimal", digits)
		}
		c.fail(v, CodeBadCondition, "want %s", want)
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

const minutesPerDay = 24 * 60

// window reads a part of the day such as 08:00-18:00, in UTC.
func (c *compiler) window(v value) *Window {
	text, ok := c.text(v)
	if !ok {
		return nil
	}
	from, to, _ := strings.Cut(text, "-")
	w := &Window{From: minutes(from), To: minutes(to)}
	switch {
	case w.From < 0 || w.To < 0 || w.From == minutesPerDay:
		c.fail(v, CodeBadCondition, "want a part of the day such as 08:00-18:00, or 22:00-06:00 over midnight, in UTC")
	case w.From == w.To:
		c.fail(v, CodeDeadRule, "the window is empty, so that the rule never applies; all day is 00:00-24:00")
	}
	return w
}

// minutes since midnight of a time such as 08:30, up to 24:00; -1 for another.
func minutes(text string) int {
	hour, minute, _ := strings.Cut(strings.TrimSpace(text), ":")
	h, err := strconv.ParseUint(hour, 10, 8)
	m, err2 := strconv.ParseUint(minute, 10, 8)
	if err != nil || err2 != nil || len(minute) != 2 || m > 59 || h*60+m > minutesPerDay {
		return -1
	}
	return int(h*60 + m)
}

// weekdayList reads days such as mon, and mon-fri for all from one to another.
func (c *compiler) weekdayList(v value) []string {
	words, at := c.words(v, CodeBadCondition)
	days := weekdays()
	on := [7]bool{}
	for i, word := range words {
		from, to, several := strings.Cut(strings.ToLower(word), "-")
		if !several {
			to = from
		}
		first, last := index7(days, from), index7(days, to)
		if first < 0 || last < 0 {
			c.failNear(at[i], CodeBadCondition, from, days, "want days such as mon, or mon-fri")
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

func index7(days []string, day string) int {
	for i, d := range days {
		if d == day {
			return i
		}
	}
	return -1
}
