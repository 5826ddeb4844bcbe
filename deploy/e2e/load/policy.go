// Package load puts traffic on a gateway and keeps two of its books: a provider
// of its own that charges random prices and fails now and then, and clients
// that begin requests at a rate, whatever becomes of those before. What one
// seed says is the same in every run. It judges nothing: that is package book's
// affair. The suites that break the system use it.
package load

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/book"
)

// Names of the policy.
const (
	small = "small"
	large = "large"
	embed = "embed"
	auto  = "auto"
	// autoEmbed is what auto means to embeddings.
	autoEmbed = "auto-embed"
	alpha     = "alpha"
	beta      = "beta"
)

// dollar is a dollar a million tokens.
const dollar = 1_000_000

// models are in the order of the document, so that a seed gives each its price.
func models() []string { return []string{small, large, embed} }

// Baselines has what each name is compared with.
func Baselines() map[string]string {
	return map[string]string{auto: large, autoEmbed: embed, small: small, large: large, embed: embed}
}

// randomPrices are of so many digits that a wrong factor or a wrong bucket
// shows, and within what a policy takes for a price.
func randomPrices(rng *rand.Rand) map[string]book.Price {
	prices := map[string]book.Price{}
	between := func(low, high int64) int64 { return low + rng.Int64N(high-low) }
	for _, m := range models() {
		in := between(dollar, 4*dollar)
		price := book.Price{Input: in, CacheRead: between(in/10, in), CacheWrite: between(in/2, 3*in)}
		if m != embed {
			price.Output = between(2*in, 9*in)
		}
		prices[m] = price
	}
	return prices
}

// Policy is a document that leads every request to this provider.
func (p *Provider) Policy() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nproviders:\n")
	for _, name := range []string{alpha, beta} {
		fmt.Fprintf(&b, "  %s: {kind: openai, base_url: %s/%s/v1, allow_private: true}\n", name, p.URL, name)
	}
	fmt.Fprintf(&b, "models:\n")
	order := map[string][2]string{small: {alpha, beta}, large: {beta, alpha}, embed: {alpha, beta}}
	for _, m := range models() {
		kind := "chat"
		if m == embed {
			kind = "embeddings"
		}
		price := p.Prices[m]
		fmt.Fprintf(&b, "  %s:\n    kind: %s\n    endpoints: [{provider: %s, model: %s}, {provider: %s, model: %s}]\n", m, kind, order[m][0], m, order[m][1], m)
		fmt.Fprintf(&b, "    price: {input: %q, cache_read: %q, cache_write: %q, output: %q, per: 1M, effective: 2026-01-01}\n    context: 1000000\n",
			dollars(price.Input), dollars(price.CacheRead), dollars(price.CacheWrite), dollars(price.Output))
	}
	b.WriteString("defaults: {baseline: large, embedding_baseline: embed, retries: {max: 2}}\nroutes:\n" +
		"  auto: {select: [{candidates: [small, large]}], on_failure: [large]}\n" +
		"  auto-embed: {kind: embeddings, select: [{target: embed}]}\n")
	return b.String()
}

// dollars writes pico-USD a token as dollars a million tokens.
func dollars(pico int64) string { return fmt.Sprintf("%d.%06d", pico/1_000_000, pico%1_000_000) }
