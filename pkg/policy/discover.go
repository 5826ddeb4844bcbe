package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const (
	// goodEnough is the quality, in thousandths, from which on a model is worth
	// trying first.
	goodEnough = 600
	// nearTheBest is how much less than the best a middle one may have.
	nearTheBest = 80
	// dearest is the most that a token out may cost of what is chosen unasked,
	// in pico-USD: 25 dollars a million.
	dearest = 25_000_000
	// notice is how long before its end a model is not proposed any more.
	notice = 60 * 24 * time.Hour
)

// found is what the environment offers: of every provider the cheapest good
// model, the best, and the cheapest that is near the best.
type found struct {
	providers            []catalog.Provider
	small, medium, large []string
	embed                string
}

func discover(present func(env string) bool, cat *catalog.Catalog, now time.Time) found {
	var d found
	for _, p := range cat.Providers() {
		// Without an address the credential alone leads nowhere.
		if p.Env == "" || p.BaseURL == "" || !present(p.Env) {
			continue
		}
		chat := offers(cat, p.ID, catalog.Chat, now)
		embed := offers(cat, p.ID, catalog.Embeddings, now)
		if len(chat) == 0 {
			continue
		}
		d.providers = append(d.providers, p)
		best := slices.MaxFunc(chat, func(a, b offer) int { return cmp.Or(cmp.Compare(a.quality, b.quality), cmp.Compare(b.price, a.price)) })
		d.small = append(d.small, cheapest(chat, min(goodEnough, best.quality)))
		d.medium = append(d.medium, cheapest(chat, best.quality-nearTheBest))
		d.large = append(d.large, best.id)
		if d.embed == "" && len(embed) > 0 {
			d.embed = cheapest(embed, 0)
		}
	}
	return d
}

// offer is a model at a provider.
type offer struct {
	id             string
	price, quality int64
}

// offers are a provider's models of a kind that may be chosen unasked: not at
// an end, not free of charge (which is a trial), not very dear, and of a price
// that is known well. Where no price of a provider is, all of them will do.
func offers(cat *catalog.Catalog, provider string, kind catalog.Kind, now time.Time) []offer {
	var sure, all []offer
	for _, m := range cat.Models() {
		i := slices.IndexFunc(m.Endpoints, func(e catalog.Endpoint) bool { return e.Provider == provider })
		if i < 0 || m.Kind != kind || ending(m.Lifecycle, now) {
			continue
		}
		prices := m.Endpoints[i].Prices
		if prices == nil {
			prices = m.Prices
		}
		p, ok := catalog.InForce(prices, now)
		if !ok || p.Input == 0 || p.Output > dearest {
			continue
		}
		o := offer{id: m.ID, price: p.Input + p.Output, quality: m.Quality["general"]}
		all = append(all, o)
		if m.Endpoints[i].Confidence != "low" {
			sure = append(sure, o)
		}
	}
	if len(sure) > 0 {
		return sure
	}
	return all
}

// ending tells whether a model is at the end of its life, or not yet at the
// beginning of it.
func ending(l catalog.Lifecycle, now time.Time) bool {
	if l.Status == catalog.StatusDeprecated || l.Status == catalog.StatusPreview {
		return true
	}
	end, err := time.Parse(time.DateOnly, l.Retires)
	return err == nil && end.Before(now.Add(notice))
}

// cheapest is the one of at least some quality that costs least; of equals the
// better, then the first.
func cheapest(list []offer, quality int64) string {
	var best *offer
	for i := range list {
		o := &list[i]
		if o.quality < quality {
			continue
		}
		if best == nil || o.price < best.price || o.price == best.price && o.quality > best.quality {
			best = o
		}
	}
	return best.id
}

func unique(list []string) []string {
	var all []string
	for _, s := range list {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
