package litellm

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
	"github.com/signalbox/signalbox/services/allinone/internal/cli/imports/draft"
)

func limitsOf(d deployment) *draft.Limits {
	l := draft.Limits{Requests: d.Params.RPM, Tokens: d.Params.TPM, Concurrent: d.Params.MaxParallel}
	if l == (draft.Limits{}) {
		return nil
	}
	return &l
}

// timeoutsOf returns the timeouts of a deployment, else those of the file.
func (c *converter) timeoutsOf(d deployment) *draft.Timeouts {
	t := draft.Timeouts{
		Total: duration(cmp.Or(d.Params.Timeout, c.config.Router.Timeout, c.config.Settings.RequestTimeout, c.config.Settings.Timeout)), FirstToken: duration(d.Params.StreamTimeout),
	}
	if t == (draft.Timeouts{}) {
		return nil
	}
	return &t
}

// duration converts a number of seconds, or nil. LiteLLM also accepts numbers as text.
func duration(v any) string {
	var seconds float64
	switch v := v.(type) {
	case int:
		seconds = float64(v)
	case float64:
		seconds = v
	case string:
		seconds, _ = strconv.ParseFloat(v, 64)
	}
	if seconds <= 0 {
		return ""
	}
	return time.Duration(seconds * float64(time.Second)).String()
}

// priceOf returns the price in the file. Such a price may be far from the catalog's.
func (c *converter) priceOf(d candidate) *draft.Price {
	in, out := cmp.Or(d.Params.InputPrice, d.Info.InputPrice), cmp.Or(d.Params.OutputPrice, d.Info.OutputPrice)
	if in == nil || out == nil && !d.isEmbedding() {
		return nil
	}
	p := &draft.Price{Input: perMillion(*in), Unusual: c.isInCatalog(d)}
	if !d.isEmbedding() {
		p.Output = perMillion(*out)
	}
	return p
}

// hasPrice reports whether the file or the catalog has a price for the deployment.
func (c *converter) hasPrice(d candidate) bool { return c.priceOf(d) != nil || c.isInCatalog(d) }

func (c *converter) isInCatalog(d candidate) bool {
	_, _, ok := c.Catalog().FindEndpoint(d.provider, d.upstream)
	return ok || c.catalogModelOf(d) != ""
}

// catalogModelOf returns the catalog model that a deployment with a name of its own serves,
// or "" if the catalog knows the endpoint or nothing about it.
func (c *converter) catalogModelOf(d candidate) string {
	if _, _, ok := c.Catalog().FindEndpoint(d.provider, d.upstream); ok {
		return ""
	}
	_, base := c.splitModel(d.Info.BaseModel)
	for _, name := range []string{base, d.upstream, d.upstream[strings.LastIndex(d.upstream, "/")+1:]} {
		if entry, ok := c.Catalog().FindByName(name); ok && (entry.Kind == catalog.Embeddings) == d.isEmbedding() {
			return entry.ID
		}
	}
	return ""
}

// perMillion converts a price per token into a price per million tokens. The decimal digits
// of the file are kept: 1.5e-07 becomes 0.15.
func perMillion(price float64) string {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(price, 'g', -1, 64))
	if !ok {
		return "0"
	}
	text := r.Mul(r, big.NewRat(1_000_000, 1)).FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
