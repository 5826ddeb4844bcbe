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
version: 1

`

const sandboxModels = `# Without a provider's credential in the environment the built-in sandbox
# answers, so that everything can be tried. What is not written here (prices,
# context, capabilities) comes from the catalog.
models:
  sandbox-small: {}
  sandbox-medium: {}
  sandbox-large: {}
  sandbox-embed: {}

`

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
		writeRoutes(&b, []string{"sandbox-small", "sandbox-medium", "sandbox-large"}, []string{"sandbox-medium", "sandbox-large"}, "sandbox-large", "sandbox-embed")
		return []byte(b.String())
	}
	b.WriteString("# Providers whose credential was found in the environment. Secrets stay there:\n# they are named here, never written.\nproviders:\n")
	for _, p := range d.providers {
		fmt.Fprintf(&b, "  %s: {keys: [{ref: env:%s}]}\n", p.ID, p.Env)
	}
	b.WriteString("\n# What routes may choose. What is not written (prices, context, capabilities)\n# comes from the catalog; its other models are served to who names them.\nmodels:\n")
	for _, id := range unique(slices.Concat(d.small, d.medium, d.large)) {
		fmt.Fprintf(&b, "  %s: {}\n", id)
	}
	if d.embed != "" {
		fmt.Fprintf(&b, "  %s: {}\n", d.embed)
	}
	b.WriteString("\n")
	writeRoutes(&b, unique(slices.Concat(d.small, d.medium, d.large)), unique(d.large), d.large[0], d.embed)
	return []byte(b.String())
}

func writeRoutes(b *strings.Builder, candidates, reserve []string, baseline, embed string) {
	b.WriteString("defaults:\n")
	fmt.Fprintf(b, "  # What callers would have used without a router; savings are counted against it.\n  baseline: %s\n", baseline)
	if embed != "" {
		fmt.Fprintf(b, "  embedding_baseline: %s\n", embed)
	}
	b.WriteString("  # Further attempts when one fails before its first token.\n  retries: {max: 2}\n\nroutes:\n  auto:\n")
	b.WriteString("    # Always so: only models that can do what the request asks, and that hold it.\n")
	b.WriteString("    require: [{capabilities: from_request}, {context: fits}]\n")
	b.WriteString("    # The first candidate that passes is chosen; the cheap ones stand in front.\n    select:\n")
	fmt.Fprintf(b, "      - {name: small-first, candidates: [%s]}\n", strings.Join(candidates, ", "))
	fmt.Fprintf(b, "    # Tried next when a candidate fails.\n    on_failure: [%s]\n", strings.Join(reserve, ", "))
	if embed != "" {
		b.WriteString("  # What auto means for embeddings. One model: vectors of two cannot be compared.\n")
		fmt.Fprintf(b, "  auto-embed: {kind: embeddings, select: [{target: %s}]}\n", embed)
	}
}
