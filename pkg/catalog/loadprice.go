package catalog

import (
	"errors"
	"time"
)

// filePrice is a price in models.json. If "cache_read" or "cache_write" is missing, the input
// price applies. If "cache_write_1h" is missing, the price of "cache_write" applies.
type filePrice struct {
	Effective time.Time `json:"effective"`
	fileAmounts
	Tiers  []fileTier `json:"tiers"`
	Source string     `json:"source"`
}

type fileTier struct {
	// Above is a number of input tokens. The tier applies to requests with more.
	Above int64 `json:"above"`
	fileAmounts
}

type fileAmounts struct {
	Input        *int64 `json:"input"`
	CacheRead    *int64 `json:"cache_read"`
	CacheWrite   *int64 `json:"cache_write"`
	CacheWrite1h int64  `json:"cache_write_1h"`
	Output       *int64 `json:"output"`
}

// toTier converts the amounts. It replaces a missing CacheRead or CacheWrite with the input
// price. CacheWrite1h stays 0 if it is missing.
func (f fileAmounts) toTier(above int64) (Tier, error) {
	if f.Input == nil || f.Output == nil {
		return Tier{}, errors.New(`a price needs "input" and "output"`)
	}
	t := Tier{Above: above, Input: *f.Input, CacheRead: *f.Input, CacheWrite: *f.Input, CacheWrite1h: f.CacheWrite1h, Output: *f.Output}
	if f.CacheRead != nil {
		t.CacheRead = *f.CacheRead
	}
	if f.CacheWrite != nil {
		t.CacheWrite = *f.CacheWrite
	}
	if min(t.Input, t.CacheRead, t.CacheWrite, t.CacheWrite1h, t.Output) < 0 {
		return Tier{}, errors.New("price is negative")
	}
	return t, nil
}

func readPrices(list []filePrice) ([]Price, error) {
	var prices []Price
	for _, f := range list {
		p, err := f.toPrice()
		if err != nil {
			return nil, err
		}
		if n := len(prices); n > 0 && !prices[n-1].Effective.Before(p.Effective) {
			return nil, errors.New(`prices must be sorted by "effective", oldest first`)
		}
		prices = append(prices, p)
	}
	return prices, nil
}

func (f filePrice) toPrice() (Price, error) {
	base, err := f.toTier(0)
	if err == nil && f.Effective.IsZero() {
		err = errors.New(`a price needs "effective"`)
	}
	p := Price{
		Effective: f.Effective.UTC(), Input: base.Input, CacheRead: base.CacheRead,
		CacheWrite: base.CacheWrite, CacheWrite1h: base.CacheWrite1h, Output: base.Output, Source: f.Source,
	}
	for _, tier := range f.Tiers {
		t, tierErr := tier.toTier(tier.Above)
		err = errors.Join(err, tierErr)
		if n := len(p.Tiers); t.Above <= 0 || n > 0 && p.Tiers[n-1].Above >= t.Above {
			err = errors.Join(err, errors.New(`the "above" values of tiers must be positive and sorted, smallest first`))
		}
		p.Tiers = append(p.Tiers, t)
	}
	return p, err
}
