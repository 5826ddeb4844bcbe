package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

const defaultHead = `# The routing policy: which models there are, where they are served, and which
# of them a request gets. Callers send a route's name as their model: "auto".
# What is not written here (prices, context, capabilities, qualities) comes from
# the catalog. A fault is refused whole, with its line; nothing is half applied.
version: 1

`

const sandboxModels = `# Without a provider's credential in the environment the built-in sandbox
# answers, so that everything can be tried.
models:
  sandbox-small: {}
  sandbox-medium: {}
  sandbox-large: {}
  sandbox-embed: {}

`

// The floors of quality, in thousandths: of real models, and of the sandbox,
// whose small one is to answer what is not hard.
const (
	defaultFloor = 700
	sandboxFloor = 550
)

// Default is the document an installation begins with. It names the catalog's
// providers whose credential is present in the environment (only the names of
// variables are asked for), or the sandbox when there is none, and of each few
// models: the catalog's others are served to who names them. Models that end
// soon after now are not among them. It compiles.
func Default(present func(env string) bool, cat *catalog.Catalog, now time.Time) []byte {
	d := discover(present, cat, now)
	var b strings.Builder
	b.WriteString(defaultHead)
	if len(d.providers) == 0 {
		b.WriteString(sandboxModels)
		sandboxOutline().write(&b)
		return []byte(b.String())
	}
	b.WriteString("# Providers whose credential was found in the environment. Secrets stay there:\n# they are named here, never written.\nproviders:\n")
	for _, p := range d.providers {
		fmt.Fprintf(&b, "  %s: {keys: [{ref: env:%s}]}\n", p.ID, p.Env)
	}
	b.WriteString("\n# What routes may choose. The catalog's other models are served to who names them.\nmodels:\n")
	for _, id := range unique(slices.Concat(d.small, d.medium, d.large)) {
		fmt.Fprintf(&b, "  %s: {}\n", id)
	}
	if d.embed != "" {
		fmt.Fprintf(&b, "  %s: {}\n", d.embed)
	}
	b.WriteString("\n")
	outline{
		candidates: unique(slices.Concat(d.small, d.medium, d.large)), reserve: unique(d.large),
		baseline: d.large[0], embed: d.embed, floor: defaultFloor,
	}.write(&b)
	return []byte(b.String())
}

// outline is what defaults and routes are written from.
type outline struct {
	candidates, reserve []string
	baseline, embed     string
	floor               int64
	// affinity is what stands before it: nothing, or the mark of a comment.
	affinity string
	tests    string
}

func sandboxOutline() outline {
	return outline{
		candidates: []string{"sandbox-small", "sandbox-medium", "sandbox-large"}, reserve: []string{"sandbox-medium", "sandbox-large"},
		baseline: "sandbox-large", embed: "sandbox-embed", floor: sandboxFloor, affinity: "# ",
		tests: "    # Run by \"signalbox policy test\", and before anything is published.\n    tests:\n" +
			"      - {name: a greeting goes small, request: {messages: [{role: user, content: \"hi\"}]}, expect: {model: sandbox-small, route: expected}}\n",
	}
}

const defaultsText = `  # Further attempts when one fails before its first token, and after which
  # failures; without "on" after all that another attempt may mend.
  retries: {max: 2}
  # When a model at a provider is left alone for a while.
  breaker: {window: 30s, min_requests: 10, error_rate: 0.5, open: 15s}

routes:
  auto:
    # Always so: only models that can do what the request asks, and that hold it.
    require: [{capabilities: from_request}, {context: fits}]
    # Read from the top. "require" narrows and goes on; the first other entry whose
    # conditions hold makes the plan. To have your own rules, take such lines in:
    select:
`

func (o outline) write(b *strings.Builder) {
	b.WriteString("defaults:\n")
	fmt.Fprintf(b, "  # What callers would have used without a router; savings are counted against it.\n  baseline: %s\n", o.baseline)
	if o.embed != "" {
		fmt.Fprintf(b, "  embedding_baseline: %s\n", o.embed)
	}
	b.WriteString(defaultsText)
	fmt.Fprintf(b, "      # - {name: legal-on-large, when: {key.tag: legal}, target: %s}\n", o.baseline)
	b.WriteString("      # - {name: eu-only, when: {key.tag: eu}, require: [{provider.tag: eu}]}\n")
	fmt.Fprintf(b, "      # - {name: save-money, when: {budget.used_percent: {gte: 95}}, target: %s}\n", o.candidates[0])
	b.WriteString("      # - {name: night-batch, when: {request.metadata.purpose: batch, time.utc: \"08:00-18:00\"}, deny: \"batch runs at night\"}\n")
	b.WriteString("      # The cheapest of those whose quality, predicted for this very request, is good\n      # enough; if none is, the best.\n")
	fmt.Fprintf(b, "      - name: good-and-cheap\n        strategy: cheapest\n        min_quality: %s\n        candidates: [%s]\n",
		decimalText(o.floor), strings.Join(o.candidates, ", "))
	fmt.Fprintf(b, "    # Tried next when all of those fail.\n    on_failure: [%s]\n", strings.Join(o.reserve, ", "))
	b.WriteString("    # A conversation stays where its provider has it cached, unless that is down.\n")
	b.WriteString("    " + o.affinity + "affinity: {scope: conversation, ttl: 10m, yields_to: [breaker, rate_limit]}\n")
	b.WriteString(o.tests)
	if o.embed != "" {
		b.WriteString("  # What auto means for embeddings. One model: vectors of two cannot be compared.\n")
		fmt.Fprintf(b, "  auto-embed: {kind: embeddings, select: [{target: %s}]}\n", o.embed)
	}
}

func decimalText(thousandths int64) string {
	return strings.TrimRight(fmt.Sprintf("%d.%03d", thousandths/1000, thousandths%1000), "0")
}
