// Package load sends traffic through a gateway and records it on both ends. Its
// clients send requests at a fixed rate. Its Provider serves them with random prices
// and occasional failures. All random choices depend on a seed, so a run can be
// repeated. Package reconcile checks the results. The fault suites use both packages.
package load

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
)

// Names used in the policy.
const (
	small = "small"
	large = "large"
	embed = "embed"
	auto  = "auto"
	// autoEmbed is the route that auto stands for in embeddings requests.
	autoEmbed = "auto-embed"
	alpha     = "alpha"
	beta      = "beta"
)

// dollar is one dollar per million tokens, in pico-USD per token.
const dollar = 1_000_000

// models lists the models in document order, so that a seed fixes their prices.
func models() []string { return []string{small, large, embed} }

// Baselines returns the baseline model of every name that a client can request.
func Baselines() map[string]string {
	return map[string]string{auto: large, autoEmbed: embed, small: small, large: large, embed: embed}
}

// randomPrices returns prices with many digits, so that a wrong factor or bucket
// changes the total. They stay within the range that a policy accepts.
func randomPrices(rng *rand.Rand) map[string]reconcile.Price {
	prices := map[string]reconcile.Price{}
	between := func(low, high int64) int64 { return low + rng.Int64N(high-low) }
	for _, m := range models() {
		in := between(dollar, 4*dollar)
		price := reconcile.Price{Input: in, CacheRead: between(in/10, in), CacheWrite: between(in/2, 3*in)}
		if m != embed {
			price.Output = between(2*in, 9*in)
		}
		prices[m] = price
	}
	return prices
}

// Policy returns a policy document that routes every request to this provider.
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
			formatDollars(price.Input), formatDollars(price.CacheRead), formatDollars(price.CacheWrite), formatDollars(price.Output))
	}
	b.WriteString("defaults: {baseline: large, embedding_baseline: embed, retries: {max: 2}}\nroutes:\n" +
		"  auto: {select: [{candidates: [small, large]}], on_failure: [large]}\n" +
		"  auto-embed: {kind: embeddings, select: [{target: embed}]}\n")
	return b.String()
}

// formatDollars formats pico-USD per token as dollars per million tokens.
func formatDollars(pico int64) string { return fmt.Sprintf("%d.%06d", pico/1_000_000, pico%1_000_000) }
