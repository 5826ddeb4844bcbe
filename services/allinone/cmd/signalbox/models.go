package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/pkg/config"
)

// models lists the catalog that is built in, or explains one model of it. It
// asks no service: what a policy says otherwise is not in it.
func models(_ context.Context, c call) error {
	o := newOperator(c)
	var name string
	var want wanted
	o.set.Optional(&name, "[NAME]", "the model to explain, by any of its names")
	o.set.Func("provider", "only what this provider serves", given(&want.provider))
	o.set.Func("capability", "only what is known to have it, such as tools, vision or json_schema", want.known)
	o.set.Func("kind", "only models for chat, or for embeddings", want.called)
	o.set.Bool(&o.json, "json", false, "print JSON")
	if err := o.set.Load(c.args, nil); err != nil {
		return err
	}
	cat, err := catalog.Load()
	if err != nil {
		return err
	}
	if name == "" {
		return o.listModels(cat, want)
	}
	m, ok := cat.Named(name)
	if !ok {
		return fmt.Errorf("the catalog has no model %q%s", printable(name), config.DidYouMean(name, ids(cat)))
	}
	return o.show(m, explain(cat, m, time.Now())...)
}

func ids(cat *catalog.Catalog) []string {
	var all []string
	for _, m := range cat.Models() {
		all = append(all, m.ID)
	}
	return all
}

// wanted is what a list is narrowed to.
type wanted struct {
	provider   string
	capability catalog.Capability
	kind       catalog.Kind
}

func (w *wanted) known(text string) error {
	w.capability = catalog.Capability(text)
	if !slices.Contains(catalog.Capabilities(), w.capability) {
		return fmt.Errorf("want one of %v", catalog.Capabilities())
	}
	return nil
}

func (w *wanted) called(text string) error {
	w.kind = catalog.Kind(text)
	if w.kind != catalog.Chat && w.kind != catalog.Embeddings {
		return fmt.Errorf("want %s or %s", catalog.Chat, catalog.Embeddings)
	}
	return nil
}

// narrow leaves of a model the places that are wanted; none if it is not.
func (w *wanted) narrow(m catalog.Entry) []catalog.Endpoint {
	if w.kind != "" && m.Kind != w.kind {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.Endpoints), func(e catalog.Endpoint) bool {
		missing := slices.Concat(e.Lacks, e.Unknown)
		return w.provider != "" && e.Provider != w.provider ||
			w.capability != "" && (!m.Can(w.capability) || slices.Contains(missing, w.capability))
	})
}

func (o *operator) listModels(cat *catalog.Catalog, want wanted) error {
	all := items[catalog.Entry]{Items: []catalog.Entry{}}
	rows := [][]string{{"ID", "PROVIDERS", "CONTEXT", "IN $/1M", "CACHED", "OUT $/1M", "CAN", "STATUS"}}
	now := time.Now()
	for _, m := range cat.Models() {
		if m.Endpoints = want.narrow(m); len(m.Endpoints) == 0 {
			continue
		}
		all.Items = append(all.Items, m)
		in, cached, out := "?", "?", "?"
		if p, ok := cheapest(m, now); ok {
			in, cached, out = catalog.PerMillion(p.Input), catalog.PerMillion(p.CacheRead), catalog.PerMillion(p.Output)
		}
		rows = append(rows, []string{m.ID, served(m), strconv.FormatInt(m.Context, 10), in, cached, out, abilities(m.Capabilities, m.Unknown), string(m.Status)})
	}
	return o.show(all, rows...)
}

func served(m catalog.Entry) string {
	var names []string
	for _, e := range m.Endpoints {
		names = append(names, e.Provider)
	}
	return strings.Join(names, ",")
}

// abilities has what a model can, and with a question mark what is not known.
func abilities(has, unknown []catalog.Capability) string {
	var words []string
	for _, c := range has {
		words = append(words, string(c))
	}
	for _, c := range unknown {
		words = append(words, string(c)+"?")
	}
	return strings.Join(words, ",")
}

// cheapest is the lowest price in force at any place.
func cheapest(m catalog.Entry, now time.Time) (least catalog.Price, ok bool) {
	for _, e := range m.Endpoints {
		p, priced := catalog.InForce(pricesAt(m, e), now)
		if priced && (!ok || p.Input+p.Output < least.Input+least.Output) {
			least, ok = p, true
		}
	}
	return least, ok
}

func pricesAt(m catalog.Entry, e catalog.Endpoint) []catalog.Price {
	if e.Prices != nil {
		return e.Prices
	}
	return m.Prices
}
