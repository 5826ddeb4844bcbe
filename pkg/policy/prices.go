package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxPrice is a dollar a token, in pico-USD; beyond it the unit is wrong.
const maxPrice = 1_000_000_000_000

// prices reads one price or a list of dated ones, to be written over those that
// the catalog knows.
func (c *compiler) prices(v value, kind catalog.Kind, known []catalog.Price) []catalog.Price {
	list := []value{v}
	if _, ok := v.node.(*ast.SequenceNode); ok {
		list = c.items(v)
	}
	var all []catalog.Price
	for _, item := range list {
		p := c.price(item, kind, known)
		if slices.ContainsFunc(all, func(x catalog.Price) bool { return x.Effective.Equal(p.Effective) }) {
			c.fail(item, CodeBadPrice, "two prices are effective from the same day")
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b catalog.Price) int { return a.Effective.Compare(b.Effective) })
	return all
}

func (c *compiler) price(v value, kind catalog.Kind, known []catalog.Price) catalog.Price {
	before := len(c.problems)
	f := c.fields(v, "input", "output", "cache_read", "cache_write", "cache_write_1h", "per", "effective", "tiers", "unusual")
	digits := c.per(f)
	t := c.amounts(v, f, digits, kind)
	p := catalog.Price{
		Effective: c.effective(f), Input: t.Input, CacheRead: t.CacheRead,
		CacheWrite: t.CacheWrite, CacheWrite1h: t.CacheWrite1h, Output: t.Output,
	}
	if list, ok := f["tiers"]; ok {
		p.Tiers = c.tiers(list, digits, kind)
	}
	if len(c.problems) == before {
		c.believe(v, f, kind, p, known)
	}
	return p
}

// believe refuses a price that cannot be true, or that nobody says is meant.
func (c *compiler) believe(v value, f map[string]value, kind catalog.Kind, p catalog.Price, known []catalog.Price) {
	if err := catalog.CheckPrice(kind, p); err != nil {
		c.fail(v, CodeBadPrice, "%s", err)
		return
	}
	if u, ok := f["unusual"]; ok && c.flag(u) {
		return
	}
	if err := catalog.CheckWritten(p, known); err != nil {
		c.fail(v, CodeBadPrice, "%s: write unusual: true in the price to mean it", err)
	}
}

// tiers reads what larger requests cost, in the order of their sizes.
func (c *compiler) tiers(v value, digits int, kind catalog.Kind) []catalog.Tier {
	var all []catalog.Tier
	for _, item := range c.items(v) {
		f := c.fields(item, "above", "input", "output", "cache_read", "cache_write", "cache_write_1h")
		t := c.amounts(item, f, digits, kind)
		if above, ok := f["above"]; ok {
			t.Above = c.integer(above, 1, maxTokens)
		} else {
			c.fail(item, CodeMissingField, "a tier needs above, the tokens from which on it holds")
		}
		if n := len(all); n > 0 && all[n-1].Above >= t.Above {
			c.fail(item, CodeBadPrice, "write the tiers in the order of their sizes")
		}
		all = append(all, t)
	}
	return all
}

func (c *compiler) amounts(v value, f map[string]value, digits int, kind catalog.Kind) (t catalog.Tier) {
	var none int64
	output := &none
	if kind == catalog.Chat {
		output = nil
	}
	t.Input = c.amount(v, f, "input", digits, nil)
	t.Output = c.amount(v, f, "output", digits, output)
	// What is cached costs like any other token unless something else is said.
	t.CacheRead = c.amount(v, f, "cache_read", digits, &t.Input)
	t.CacheWrite = c.amount(v, f, "cache_write", digits, &t.Input)
	t.CacheWrite1h = c.amount(v, f, "cache_write_1h", digits, &none)
	return t
}

// per is how many decimals of the written dollars a pico-USD per token is.
func (c *compiler) per(f map[string]value) int {
	digits := map[string]int{"1M": 6, "1K": 9, "1": 12}
	v, ok := f["per"]
	if !ok {
		return digits["1M"]
	}
	return digits[c.oneOf(v, CodeBadPrice, []string{"1M", "1K", "1"})]
}

// effective is the day a price begins, in UTC; without one it always held.
func (c *compiler) effective(f map[string]value) time.Time {
	v, ok := f["effective"]
	if !ok {
		return time.Unix(0, 0).UTC()
	}
	text, ok := c.text(v)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.fail(v, CodeBadPrice, "want a day such as 2026-11-01")
	}
	return t
}

func (c *compiler) amount(price value, f map[string]value, name string, digits int, otherwise *int64) int64 {
	v, ok := f[name]
	if !ok {
		if otherwise == nil {
			c.fail(price, CodeMissingField, "a price needs %s", name)
			return 0
		}
		return *otherwise
	}
	text, ok := c.text(v)
	if !ok {
		return 0
	}
	n, err := decimal(text, digits)
	if err != nil || n > maxPrice {
		c.fail(v, CodeBadPrice, `want US dollars as a decimal such as "0.15", at most one a token, and exact to a pico-dollar a token`)
	}
	return n
}
