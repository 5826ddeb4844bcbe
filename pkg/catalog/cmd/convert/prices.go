package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// convertPrices returns the prices of a row, oldest first: past prices that a ruling lists, the
// current price, and announced prices. It fails if the sources disagree and there is no ruling.
func (c *converter) convertPrices(r row) ([]catalog.Price, error) {
	base := r.Sources.Prices["base"]
	ruled, ok := rulings()[r.ID]
	if !ok && sourcesDiffer(r, "input", "output") {
		return nil, fmt.Errorf("sources disagree on the price: add a ruling to conflicts.go: %v", r.Disagreements)
	}
	if !ok && sourcesDiffer(r, "cached_input", "cache_write_5m") && cacheRulings()[r.ID] == "" {
		return nil, fmt.Errorf("sources disagree on the price of cached tokens: add a cache ruling to conflicts.go")
	}
	now := fillCachePrices(r.Prices.amounts)
	take := base
	if ok {
		take = ruled.currentSource
	}
	if take != base {
		now = c.quotedPrice(r, take, now)
	}
	for _, t := range r.Prices.Tiers {
		now.Tiers = append(now.Tiers, toTier(t.Above, scaleCachePrices(t.amounts, now)))
	}
	now.Effective, now.Source = c.sources[take], take
	var all []catalog.Price
	for _, source := range ruled.earlierSources {
		old := c.quotedPrice(r, source, now)
		old.Tiers, old.Effective, old.Source = nil, c.sources[source], source
		all = append(all, old)
	}
	all = append(all, now)
	for _, s := range r.Prices.Scheduled {
		day, err := time.Parse(time.DateOnly, s.From)
		if err != nil {
			return nil, err
		}
		next := scaleCachePrices(s.amounts, now)
		next.Effective, next.Source = day, r.Sources.Prices["scheduled"]
		all = append(all, next)
	}
	return all, nil
}

func sourcesDiffer(r row, fields ...string) bool {
	return slices.ContainsFunc(r.Disagreements, func(d disagreement) bool {
		return d.Pico != nil && slices.Contains(fields, d.Field)
	})
}

// fillCachePrices sets missing prices of cached tokens to the input price.
func fillCachePrices(a amounts) catalog.Price {
	p := catalog.Price{Input: a.Input, CacheRead: a.Input, CacheWrite: a.Input, CacheWrite1h: a.CacheWrite1h, Output: a.Output}
	if a.CacheRead != nil {
		p.CacheRead = *a.CacheRead
	}
	if a.CacheWrite != nil {
		p.CacheWrite = *a.CacheWrite
	}
	return p
}

// scaleCachePrices converts amounts to a price. A missing cache price gets the same ratio to the
// input price as in base.
func scaleCachePrices(a amounts, base catalog.Price) catalog.Price {
	scale := func(price int64) int64 {
		if base.Input == 0 {
			return 0
		}
		return price * a.Input / base.Input
	}
	p := catalog.Price{
		Input: a.Input, Output: a.Output,
		CacheRead: scale(base.CacheRead), CacheWrite: scale(base.CacheWrite), CacheWrite1h: scale(base.CacheWrite1h),
	}
	if a.CacheRead != nil {
		p.CacheRead = *a.CacheRead
	}
	if a.CacheWrite != nil {
		p.CacheWrite = *a.CacheWrite
	}
	p.CacheWrite1h = cmp.Or(a.CacheWrite1h, p.CacheWrite1h)
	return p
}

func toTier(above int64, p catalog.Price) catalog.Tier {
	return catalog.Tier{Above: above, Input: p.Input, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite, CacheWrite1h: p.CacheWrite1h, Output: p.Output}
}

// quotedPrice returns the price that one source lists. If the sources agree on the input or output
// price, it is taken from p. scaleCachePrices fills in cache prices on which the sources agree.
func (c *converter) quotedPrice(r row, source string, p catalog.Price) catalog.Price {
	quoted := map[string]int64{}
	for _, d := range r.Disagreements {
		if v, ok := d.Pico[source]; ok {
			quoted[d.Field] = v
		}
	}
	a := amounts{Input: p.Input, Output: p.Output}
	if v, ok := quoted["input"]; ok {
		a.Input = v
	}
	if v, ok := quoted["output"]; ok {
		a.Output = v
	}
	if v, ok := quoted["cached_input"]; ok {
		a.CacheRead = &v
	}
	if v, ok := quoted["cache_write_5m"]; ok {
		a.CacheWrite = &v
	}
	if len(quoted) == 0 {
		c.note("%s: source %s lists no price; the sources are %v", r.ID, source, slices.Sorted(maps.Keys(c.sources)))
	}
	return scaleCachePrices(a, p)
}
