package agents

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/signalbox/signalbox/deploy/e2e/reconcile"
	"github.com/signalbox/signalbox/pkg/testkit/emulate"
	"github.com/signalbox/signalbox/pkg/testkit/emulate/coder"
)

// vendor is an emulated vendor: the path of its API, its name in policies, the model that
// serves, and how its API differs from the vendor's own.
type vendor struct {
	base, provider, model, wire string
	start                       func(emulate.Options) *emulate.Server
}

// vendors maps the names of upstreams to emulated vendors. "chat" serves chat completions
// and nothing else.
var vendors = map[string]vendor{
	"anthropic": {"/v1", "anthropic", "claude-opus-5", "{}", emulate.Anthropic},
	"chat":      {"/v1", "openai", "gpt-5.4-mini", "{api: chat}", emulate.OpenAI},
	"gemini":    {"/v1beta", "google", "gemini-2.5-flash", "{}", emulate.Gemini},
}

// Price is the price of every model in the policy. The four amounts differ, so that a
// wrong bucket changes the cost.
var Price = reconcile.Price{Input: 1_000_000, CacheRead: 100_000, CacheWrite: 1_250_000, Output: 5_000_000}

const priceYAML = `{input: "1.00", cache_read: "0.10", cache_write: "1.25", output: "5.00", per: 1M, effective: 2026-01-01}`

// Upstreams are the emulated vendors of one run, first candidate first.
type Upstreams struct {
	Names   []string
	Servers []*emulate.Server
}

// NewUpstreams starts a vendor for each name. The coding model answers in all of them.
func NewUpstreams(names ...string) *Upstreams {
	u := &Upstreams{Names: names}
	for _, name := range names {
		u.Servers = append(u.Servers, vendors[name].start(emulate.Options{Model: coder.Model}))
	}
	return u
}

// ServeHTTP serves every vendor below its name.
func (u *Upstreams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	for i, s := range u.Servers {
		if u.Names[i] == name {
			http.StripPrefix("/"+name, s).ServeHTTP(w, r)
			return
		}
	}
	http.NotFound(w, r)
}

// Policy returns a policy whose route auto tries the vendors in their order. It refers to
// their credential as env:UPSTREAM_SECRET.
func (u *Upstreams) Policy(url string) string {
	var providers, models, names strings.Builder
	for i, name := range u.Names {
		v := vendors[name]
		_, _ = fmt.Fprintf(&providers, "  %s: {base_url: %s/%s%s, allow_private: true, wire: %s, keys: [{ref: env:UPSTREAM_SECRET}]}\n", v.provider, url, name, v.base, v.wire)
		_, _ = fmt.Fprintf(&models, "  %s: {price: %s}\n", v.model, priceYAML)
		if i > 0 {
			names.WriteString(", ")
		}
		names.WriteString(v.model)
	}
	return fmt.Sprintf(`version: 1
providers:
%smodels:
%sdefaults: {baseline: %s}
routes:
  auto: {select: [{candidates: [%s]}]}
`, &providers, &models, vendors[u.Names[0]].model, &names)
}

// Costs returns the cost of every call that the vendors charge for, in nano-USD.
func (u *Upstreams) Costs() []int64 {
	var all []int64
	for _, s := range u.Servers {
		for _, e := range s.Calls() {
			if e.Usage != (emulate.Usage{}) {
				all = append(all, costOf(e.Usage))
			}
		}
	}
	return all
}

func costOf(u emulate.Usage) int64 {
	return reconcile.Cost(Price, reconcile.Usage{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output, Reasoning: u.Reasoning})
}

// Failures returns how many calls the vendors refused.
func (u *Upstreams) Failures() (n int) {
	for _, s := range u.Servers {
		for _, e := range s.Calls() {
			if e.Status >= http.StatusBadRequest {
				n++
			}
		}
	}
	return n
}
