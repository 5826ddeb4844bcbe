package policy

import (
	"cmp"
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const (
	// minSmallQuality is the minimum quality of the small model, in thousandths. If all
	// models of a provider are below it, the best one is used.
	minSmallQuality = 600
	// maxQualityGap is how far below the best model the medium model may be, in
	// thousandths.
	maxQualityGap = 80
	// maxOutputPrice is the highest output price of a model in the default policy, in
	// pico-USD per token: 25 dollars per million tokens.
	maxOutputPrice = 25_000_000
	// retirementNotice is the minimum time for which a model must still be available.
	retirementNotice = 60 * 24 * time.Hour
)

// discovery holds the providers that can be used with the credentials in the
// environment, and their models for the default policy.
type discovery struct {
	providers []catalog.Provider
	// small has each provider's cheapest model of sufficient quality. medium has the
	// cheapest model that is almost as good as the best. large has the best model.
	small, medium, large []string
	embedding            string
}

func discoverModels(present func(env string) bool, cat *catalog.Catalog, now time.Time) discovery {
	var d discovery
	for _, p := range cat.Providers() {
		// A credential without an address cannot be used.
		if p.CredentialEnv == "" || p.BaseURL == "" || !present(p.CredentialEnv) {
			continue
		}
		chat := listOffers(cat, p.ID, catalog.Chat, now)
		embed := listOffers(cat, p.ID, catalog.Embeddings, now)
		if len(chat) == 0 {
			continue
		}
		d.providers = append(d.providers, p)
		best := slices.MaxFunc(chat, func(a, b modelOffer) int {
			return cmp.Or(cmp.Compare(a.quality, b.quality), cmp.Compare(b.price, a.price))
		})
		d.small = append(d.small, cheapestOffer(chat, min(minSmallQuality, best.quality)))
		d.medium = append(d.medium, cheapestOffer(chat, best.quality-maxQualityGap))
		d.large = append(d.large, best.id)
		if d.embedding == "" && len(embed) > 0 {
			d.embedding = cheapestOffer(embed, 0)
		}
	}
	return d
}

// modelOffer is a model at a provider, with its price and quality.
type modelOffer struct {
	id             string
	price, quality int64
}

// listOffers returns a provider's models of a kind that suit the default policy. It
// excludes preview, deprecated and retiring models, free models and expensive models. It
// returns models with an unreliable price only if the provider has no others.
func listOffers(cat *catalog.Catalog, provider string, kind catalog.Kind, now time.Time) []modelOffer {
	var confident, all []modelOffer
	for _, m := range cat.Models() {
		i := slices.IndexFunc(m.Endpoints, func(e catalog.Endpoint) bool { return e.Provider == provider })
		if i < 0 || m.Kind != kind || isUnsuitable(m.Lifecycle, now) {
			continue
		}
		prices := m.Endpoints[i].Prices
		if prices == nil {
			prices = m.Prices
		}
		p, ok := catalog.PriceInForce(prices, now)
		if !ok || p.Input == 0 || p.Output > maxOutputPrice {
			continue
		}
		o := modelOffer{id: m.ID, price: p.Input + p.Output, quality: m.Quality["general"]}
		all = append(all, o)
		if m.Endpoints[i].Confidence != "low" {
			confident = append(confident, o)
		}
	}
	if len(confident) > 0 {
		return confident
	}
	return all
}

func isUnsuitable(l catalog.Lifecycle, now time.Time) bool {
	if l.Status == catalog.StatusDeprecated || l.Status == catalog.StatusPreview {
		return true
	}
	end, err := time.Parse(time.DateOnly, l.Retires)
	return err == nil && end.Before(now.Add(retirementNotice))
}

// cheapestOffer returns the cheapest model of at least the given quality. If prices are
// equal, it prefers the better quality, then the first model.
func cheapestOffer(list []modelOffer, minQuality int64) string {
	var best *modelOffer
	for i := range list {
		o := &list[i]
		if o.quality < minQuality {
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
