package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
// variables are asked for), or the sandbox when there is none. It compiles.
func Default(present func(env string) bool, cat *catalog.Catalog) []byte {
	d := discover(present, cat)
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
	b.WriteString("\n# What is not written (prices, context, capabilities) comes from the catalog.\nmodels:\n")
	for _, id := range d.models {
		fmt.Fprintf(&b, "  %s: {}\n", id)
	}
	b.WriteString("\n")
	candidates := append(slices.Clone(d.small), d.large...)
	writeRoutes(&b, unique(candidates), unique(d.large), d.large[0], d.embed)
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

// found is what the environment offers: per provider its cheapest and its
// dearest chat model.
type found struct {
	providers    []catalog.Provider
	models       []string
	small, large []string
	embed        string
}

func discover(present func(env string) bool, cat *catalog.Catalog) found {
	var d found
	for _, p := range cat.Providers() {
		if p.Env == "" || !present(p.Env) {
			continue
		}
		chat := served(cat, p.ID, catalog.Chat)
		if len(chat) == 0 {
			continue
		}
		d.providers = append(d.providers, p)
		d.small = append(d.small, chat[0])
		d.large = append(d.large, chat[len(chat)-1])
		embed := served(cat, p.ID, catalog.Embeddings)
		if d.embed == "" && len(embed) > 0 {
			d.embed = embed[0]
		}
		d.models = append(d.models, append(chat, embed...)...)
	}
	d.models = unique(d.models)
	return d
}

// served lists a provider's models of a kind, the cheapest first.
func served(cat *catalog.Catalog, provider string, kind catalog.Kind) []string {
	var entries []catalog.Entry
	for _, m := range cat.Models() {
		at := slices.ContainsFunc(m.Endpoints, func(e catalog.Endpoint) bool { return e.Provider == provider })
		if at && m.Kind == kind {
			entries = append(entries, m)
		}
	}
	slices.SortStableFunc(entries, func(a, b catalog.Entry) int { return cmp.Compare(newestPrice(a), newestPrice(b)) })
	ids := make([]string, len(entries))
	for i, m := range entries {
		ids[i] = m.ID
	}
	return ids
}

func newestPrice(m catalog.Entry) int64 {
	if len(m.Prices) == 0 {
		return 0
	}
	p := m.Prices[len(m.Prices)-1]
	return p.Input + p.Output
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
