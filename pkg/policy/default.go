package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const defaultHead = `# The routing policy: which models exist, where they are served, and which model a
# request gets. Clients send the name of a route as their model, such as "auto".
# The catalog supplies what is not written here: prices, context, capabilities and
# qualities. A document with a problem is rejected as a whole; the error names the line.
version: 1

`

const sandboxModels = `# No provider credential was found in the environment, so the built-in sandbox
# serves all requests. You can try everything with it.
models:
  sandbox-small: {}
  sandbox-medium: {}
  sandbox-large: {}
  sandbox-embed: {}

`

// These are the quality floors of the default policy, in thousandths. The sandbox has a
// lower floor, so that its small model can serve easy requests.
const (
	defaultMinQuality = 700
	sandboxMinQuality = 550
)

// Default returns the document of a new installation. It lists the catalog's providers
// that have an address, a suitable chat model and a credential variable that is present.
// If there are none, it lists the sandbox. The function present receives only the name of
// a variable, so Default never reads a secret. For each provider, Default lists a few
// models that do not retire soon after now. Clients can request the provider's other
// catalog models by name. The document always compiles.
func Default(present func(env string) bool, cat *catalog.Catalog, now time.Time) []byte {
	d := discoverModels(present, cat, now)
	var b strings.Builder
	b.WriteString(defaultHead)
	if len(d.providers) == 0 {
		b.WriteString(sandboxModels)
		sandboxValues().writeTo(&b)
		return []byte(b.String())
	}
	b.WriteString("# Providers whose credential was found in the environment. Secrets stay\n# there; this document only refers to them.\nproviders:\n")
	for _, p := range d.providers {
		fmt.Fprintf(&b, "  %s: {keys: [{ref: env:%s}]}\n", p.ID, p.CredentialEnv)
	}
	b.WriteString("\n# The models that routes may choose. Clients can request other catalog models by name.\nmodels:\n")
	for _, id := range unique(slices.Concat(d.small, d.medium, d.large)) {
		fmt.Fprintf(&b, "  %s: {}\n", id)
	}
	if d.embedding != "" {
		fmt.Fprintf(&b, "  %s: {}\n", d.embedding)
	}
	b.WriteString("\n")
	documentValues{
		candidates: unique(slices.Concat(d.small, d.medium, d.large)), fallbacks: unique(d.large),
		baseline: d.large[0], embedding: d.embedding, minQuality: defaultMinQuality,
	}.writeTo(&b)
	return []byte(b.String())
}

// documentValues holds the values that differ between generated documents.
type documentValues struct {
	candidates, fallbacks []string
	baseline, embedding   string
	minQuality            int64
	// affinityPrefix is "# " if the affinity line is commented out, otherwise "".
	affinityPrefix string
	tests          string
}

func sandboxValues() documentValues {
	return documentValues{
		candidates: []string{"sandbox-small", "sandbox-medium", "sandbox-large"}, fallbacks: []string{"sandbox-medium", "sandbox-large"},
		baseline: "sandbox-large", embedding: "sandbox-embed", minQuality: sandboxMinQuality, affinityPrefix: "# ",
		tests: "    # Run by \"signalbox policy test\" and before each publish.\n    tests:\n" +
			"      - {name: a greeting is served by the small model, request: {messages: [{role: user, content: \"hi\"}]}, expect: {model: sandbox-small, route: expected}}\n",
	}
}

const defaultsText = `  # Retries after an attempt fails before its first token. Add "on" to retry only some
  # kinds of failure; the default is every kind that another attempt may fix.
  retries: {max: 2}
  # When a model at a provider counts as down for a while.
  breaker: {window: 30s, min_requests: 10, error_rate: 0.5, open: 15s}

routes:
  auto:
    # Only models that support the request and whose context window fits it.
    require: [{capabilities: from_request}, {context: fits}]
    # Evaluated from the top. "require" narrows the choice of later rules. Of the other
    # rules, the first rule whose conditions hold decides. Uncomment lines to add rules:
    select:
`

func (o documentValues) writeTo(b *strings.Builder) {
	b.WriteString("defaults:\n")
	fmt.Fprintf(b, "  # The model that clients would use without routing; savings are relative to it.\n  baseline: %s\n", o.baseline)
	if o.embedding != "" {
		fmt.Fprintf(b, "  embedding_baseline: %s\n", o.embedding)
	}
	b.WriteString(defaultsText)
	fmt.Fprintf(b, "      # - {name: legal-on-large, when: {key.tag: legal}, target: %s}\n", o.baseline)
	b.WriteString("      # - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}\n")
	fmt.Fprintf(b, "      # - {name: save-money, when: {budget.used_percent: {gte: 95}}, target: %s}\n", o.candidates[0])
	b.WriteString("      # - {name: night-batch, when: {request.metadata.purpose: batch, time.utc: \"08:00-18:00\"}, deny: \"batch runs at night\"}\n")
	b.WriteString("      # The cheapest model whose predicted quality for this request is good enough; if\n      # no model is good enough, the best model.\n")
	fmt.Fprintf(b, "      - name: good-and-cheap\n        strategy: cheapest\n        min_quality: %s\n        candidates: [%s]\n",
		formatThousandths(o.minQuality), strings.Join(o.candidates, ", "))
	fmt.Fprintf(b, "    # Fallbacks when all chosen candidates fail.\n    on_failure: [%s]\n", strings.Join(o.fallbacks, ", "))
	b.WriteString("    # A conversation stays with the provider that has it cached, unless that provider\n    # is down or rate-limited.\n")
	b.WriteString("    " + o.affinityPrefix + "affinity: {scope: conversation, ttl: 10m, yields_to: [breaker, rate_limit]}\n")
	b.WriteString(o.tests)
	if o.embedding != "" {
		b.WriteString("  # Embeddings requests for \"auto\" use this route. It has only one model, because vectors\n  # of different models cannot be compared.\n")
		fmt.Fprintf(b, "  auto-embed: {kind: embeddings, select: [{target: %s}]}\n", o.embedding)
	}
}

func formatThousandths(thousandths int64) string {
	return strings.TrimRight(fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000), "0")
}
