package models

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
	"github.com/signalbox/signalbox/services/allinone/internal/cli"
)

// showModels lists the built-in catalog or shows one model in detail. It does not show
// values that a policy overrides, because it calls no service.
func showModels(_ context.Context, c cli.Invocation) error {
	var name string
	var asJSON bool
	var want modelFilter
	set := config.New()
	set.FlagsOnly(true)
	set.Optional(&name, "[NAME]", "model to show in detail, by id or alias")
	set.Func("provider", "only models of this provider", cli.NonEmpty(&want.provider))
	set.Func("capability", "only models with this capability, such as tools, vision or json_schema", want.setCapability)
	set.Func("kind", "only chat or only embeddings models", want.setKind)
	set.Bool(&asJSON, "json", false, "print JSON")
	if err := set.Load(c.Args, nil); err != nil {
		return err
	}
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	if name == "" {
		return listModels(c, asJSON, cat, want)
	}
	m, ok := cat.FindByName(name)
	if !ok {
		return fmt.Errorf("the catalog has no model %q%s", cli.Sanitize(name), config.DidYouMean(name, modelIDs(cat)))
	}
	return c.PrintResult(asJSON, m, modelRows(cat, m, time.Now())...)
}

func modelIDs(cat *catalog.Catalog) []string {
	var all []string
	for _, m := range cat.Models() {
		all = append(all, m.ID)
	}
	return all
}

type modelFilter struct {
	provider   string
	capability catalog.Capability
	kind       catalog.Kind
}

func (w *modelFilter) setCapability(text string) error {
	w.capability = catalog.Capability(text)
	if !slices.Contains(catalog.Capabilities(), w.capability) {
		return fmt.Errorf("must be one of %v", catalog.Capabilities())
	}
	return nil
}

func (w *modelFilter) setKind(text string) error {
	w.kind = catalog.Kind(text)
	if w.kind != catalog.Chat && w.kind != catalog.Embeddings {
		return fmt.Errorf("must be %s or %s", catalog.Chat, catalog.Embeddings)
	}
	return nil
}

// matchingEndpoints returns the endpoints of a model that match the filter. It returns
// none if the model itself does not match.
func (w *modelFilter) matchingEndpoints(m catalog.Entry) []catalog.Endpoint {
	if w.kind != "" && m.Kind != w.kind {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.Endpoints), func(e catalog.Endpoint) bool {
		missing := slices.Concat(e.Lacks, e.Unknown)
		return w.provider != "" && e.Provider != w.provider ||
			w.capability != "" && (!m.Can(w.capability) || slices.Contains(missing, w.capability))
	})
}

func listModels(c cli.Invocation, asJSON bool, cat *catalog.Catalog, want modelFilter) error {
	all := cli.List[catalog.Entry]{Items: []catalog.Entry{}}
	rows := [][]string{{"ID", "PROVIDERS", "CONTEXT", "IN $/1M", "CACHED", "OUT $/1M", "CAPABILITIES", "STATUS"}}
	now := time.Now()
	for _, m := range cat.Models() {
		if m.Endpoints = want.matchingEndpoints(m); len(m.Endpoints) == 0 {
			continue
		}
		all.Items = append(all.Items, m)
		in, cached, out := "?", "?", "?"
		if p, ok := cheapestPrice(m, now); ok {
			in, cached, out = catalog.FormatPerMillion(p.Input), catalog.FormatPerMillion(p.CacheRead), catalog.FormatPerMillion(p.Output)
		}
		rows = append(rows, []string{m.ID, joinProviders(m), strconv.FormatInt(m.Context, 10), in, cached, out, formatCapabilities(m.Capabilities, m.Unknown), string(m.Status)})
	}
	return c.PrintResult(asJSON, all, rows...)
}

func joinProviders(m catalog.Entry) string {
	var names []string
	for _, e := range m.Endpoints {
		names = append(names, e.Provider)
	}
	return strings.Join(names, ",")
}

// formatCapabilities lists capabilities and marks unknown ones with a question mark.
func formatCapabilities(has, unknown []catalog.Capability) string {
	var words []string
	for _, c := range has {
		words = append(words, string(c))
	}
	for _, c := range unknown {
		words = append(words, string(c)+"?")
	}
	return strings.Join(words, ",")
}

// cheapestPrice compares the sums of input and output price. It returns the current price
// of the cheapest endpoint. ok is false if no price is known.
func cheapestPrice(m catalog.Entry, now time.Time) (least catalog.Price, ok bool) {
	for _, e := range m.Endpoints {
		p, priced := catalog.PriceInForce(endpointPrices(m, e), now)
		if priced && (!ok || p.Input+p.Output < least.Input+least.Output) {
			least, ok = p, true
		}
	}
	return least, ok
}

func endpointPrices(m catalog.Entry, e catalog.Endpoint) []catalog.Price {
	if e.Prices != nil {
		return e.Prices
	}
	return m.Prices
}
