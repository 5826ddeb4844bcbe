package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// maxPrice is one dollar per token, in pico-USD. A higher price is probably written in
// the wrong unit.
const maxPrice = 1_000_000_000_000

// readPrices reads one price or a list of dated prices. It compares them with known,
// the catalog's prices, to find mistakes.
func (c *compiler) readPrices(v value, kind catalog.Kind, known []catalog.Price) []catalog.Price {
	list := []value{v}
	if _, ok := v.node.(*ast.SequenceNode); ok {
		list = c.readItems(v)
	}
	var all []catalog.Price
	for _, item := range list {
		p := c.readPrice(item, kind, known)
		if slices.ContainsFunc(all, func(x catalog.Price) bool { return x.Effective.Equal(p.Effective) }) {
			c.reportProblem(item, CodeBadPrice, "two prices have the same effective date: remove one")
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b catalog.Price) int { return a.Effective.Compare(b.Effective) })
	return all
}

func (c *compiler) readPrice(v value, kind catalog.Kind, known []catalog.Price) catalog.Price {
	before := len(c.problems)
	f := c.readFields(v, "input", "output", "cache_read", "cache_write", "cache_write_1h", "per", "effective", "tiers", "unusual")
	digits := c.readPriceUnit(f)
	t := c.readAmounts(v, f, digits, kind)
	p := catalog.Price{
		Effective: c.readEffectiveDate(f), Input: t.Input, CacheRead: t.CacheRead,
		CacheWrite: t.CacheWrite, CacheWrite1h: t.CacheWrite1h, Output: t.Output,
	}
	if list, ok := f["tiers"]; ok {
		p.Tiers = c.readTiers(list, digits, kind)
	}
	if len(c.problems) == before {
		c.checkPrice(v, f, kind, p, known)
	}
	return p
}

// checkPrice rejects an impossible price. It also rejects an implausible price, unless
// the document marks the price with "unusual: true".
func (c *compiler) checkPrice(v value, f map[string]value, kind catalog.Kind, p catalog.Price, known []catalog.Price) {
	if err := catalog.CheckPrice(kind, p); err != nil {
		c.reportProblem(v, CodeBadPrice, "%s", err)
		return
	}
	if u, ok := f["unusual"]; ok && c.readBool(u) {
		return
	}
	if err := catalog.CheckPolicyPrice(p, known); err != nil {
		c.reportProblem(v, CodeBadPrice, `%s: if the price is correct, add "unusual: true" to it`, err)
	}
}

// readTiers reads the prices of larger requests. The document must list the tiers by
// "above", smallest first.
func (c *compiler) readTiers(v value, digits int, kind catalog.Kind) []catalog.Tier {
	var all []catalog.Tier
	for _, item := range c.readItems(v) {
		f := c.readFields(item, "above", "input", "output", "cache_read", "cache_write", "cache_write_1h")
		t := c.readAmounts(item, f, digits, kind)
		if above, ok := f["above"]; ok {
			t.Above = c.readInteger(above, 1, maxTokens)
		} else {
			c.reportProblem(item, CodeMissingField, `"above" is missing: write the number of tokens above which the tier applies`)
		}
		if n := len(all); n > 0 && all[n-1].Above >= t.Above {
			c.reportProblem(item, CodeBadPrice, `tiers must be sorted by "above", smallest first`)
		}
		all = append(all, t)
	}
	return all
}

func (c *compiler) readAmounts(v value, f map[string]value, digits int, kind catalog.Kind) (t catalog.Tier) {
	var none int64
	output := &none
	if kind == catalog.Chat {
		output = nil
	}
	t.Input = c.readAmount(v, f, "input", digits, nil)
	t.Output = c.readAmount(v, f, "output", digits, output)
	// By default, cached tokens cost as much as other input tokens. A cache_write_1h of
	// 0 means the price of cache_write.
	t.CacheRead = c.readAmount(v, f, "cache_read", digits, &t.Input)
	t.CacheWrite = c.readAmount(v, f, "cache_write", digits, &t.Input)
	t.CacheWrite1h = c.readAmount(v, f, "cache_write_1h", digits, &none)
	return t
}

// readPriceUnit returns the exponent n of the price unit. Dollars in the document times
// 10^n are pico-USD per token.
func (c *compiler) readPriceUnit(f map[string]value) int {
	digits := map[string]int{"1M": 6, "1K": 9, "1": 12}
	v, ok := f["per"]
	if !ok {
		return digits["1M"]
	}
	return digits[c.readOneOf(v, CodeBadPrice, []string{"1M", "1K", "1"})]
}

// readEffectiveDate returns the first day on which a price applies, in UTC. The
// default is 1970-01-01.
func (c *compiler) readEffectiveDate(f map[string]value) time.Time {
	v, ok := f["effective"]
	if !ok {
		return time.Unix(0, 0).UTC()
	}
	text, ok := c.readString(v)
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		c.reportProblem(v, CodeBadPrice, "must be a date such as 2026-11-01")
	}
	return t
}

// readAmount returns the amount in pico-USD per token. If the field is missing, it
// returns defaultAmount. A nil defaultAmount means that the field is required.
func (c *compiler) readAmount(price value, f map[string]value, name string, digits int, defaultAmount *int64) int64 {
	v, ok := f[name]
	if !ok {
		if defaultAmount == nil {
			part := "price"
			if strings.Contains(price.path, ".tiers[") {
				part = "tier"
			}
			c.reportProblem(price, CodeMissingField, "%q is missing in the %s", name, part)
			return 0
		}
		return *defaultAmount
	}
	text, ok := c.readString(v)
	if !ok {
		return 0
	}
	n, err := parseDecimal(text, digits)
	if err != nil || n > maxPrice {
		c.reportProblem(v, CodeBadPrice, `must be US dollars such as "0.15", at most $1 per token; the price per token can have at most 12 decimal places`)
	}
	return n
}
