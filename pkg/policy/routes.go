package policy

import (
	"slices"
	"time"

	"github.com/signalbox/signalbox/pkg/catalog"
)

func (c *compiler) readRoute(v value) {
	c.checkName(v, "._-:/@")
	if _, taken := c.findModel(v.name); taken {
		c.reportProblem(value{path: v.path, key: v.key}, CodeNameTaken, "%q is also the name of a model: rename the route", v.name)
	}
	f := c.readFields(v, "kind", "require", "select", "on_failure", "affinity", "issuer_state", "tests")
	r := Route{Name: v.name, Kind: catalog.Chat, Select: []Rule{}}
	c.currentRoute = v.name
	setField(f, "kind", &r.Kind, c.readModelKind)
	if q, ok := f["require"]; ok {
		r.Require = c.readRequirements(q, r.Kind)
	}
	var at []value
	if s, ok := f["select"]; ok {
		r.Select, at = c.readRules(s, r.Kind)
	} else {
		c.reportProblem(v, CodeMissingField, `"select" is missing: add "select: [{candidates: [...]}]"`)
	}
	if o, ok := f["on_failure"]; ok {
		r.OnFailure = c.readEndpointNames(o, r.Kind)
	}
	if a, ok := f["affinity"]; ok {
		r.Affinity = c.readAffinity(a, r.Kind)
	}
	if s, ok := f["issuer_state"]; ok {
		r.IssuerState = c.readIssuerState(s, r.Kind)
	}
	c.checkSingleEmbeddingModel(v, r)
	c.checkDeadRules(r.Select, at)
	c.checkFeasibility(&r, at)
	if t, ok := f["tests"]; ok {
		r.Tests = c.readTests(t, &r)
	}
	c.policy.Routes = append(c.policy.Routes, r)
}

const defaultAffinityTTL = 10 * time.Minute

func (c *compiler) readAffinity(v value, kind catalog.Kind) *Affinity {
	a := &Affinity{Scope: ScopeConversation, TTL: defaultAffinityTTL, YieldsTo: []string{YieldBreaker, YieldRateLimit}}
	f := c.readFields(v, "scope", "ttl", "yields_to")
	if kind == catalog.Embeddings {
		c.reportProblem(v, CodeBadValue, `"affinity" applies to chat routes only: remove it`)
	}
	if s, ok := f["scope"]; ok {
		a.Scope = c.readOneOf(s, CodeBadValue, []string{ScopeConversation})
	}
	setField(f, "ttl", &a.TTL, c.readDuration)
	if y, ok := f["yields_to"]; ok {
		states, at := c.readStrings(y)
		for i := range states {
			c.readOneOf(at[i], CodeBadValue, []string{YieldBreaker, YieldRateLimit})
		}
		slices.Sort(states)
		a.YieldsTo = append([]string{}, states...)
	}
	return a
}

// readIssuerState returns "" for the default, so that writing it does not change the version.
func (c *compiler) readIssuerState(v value, kind catalog.Kind) string {
	if kind == catalog.Embeddings {
		c.reportProblem(v, CodeBadValue, `"issuer_state" applies to chat routes only: remove it`)
	}
	if word := c.readOneOf(v, CodeBadValue, []string{IssuerKeep, IssuerStrip}); word != IssuerKeep {
		return word
	}
	return ""
}

// checkSingleEmbeddingModel reports an embeddings route with more than one model. Vectors
// of different models cannot be compared, so fallbacks must be endpoints of the same
// model.
func (c *compiler) checkSingleEmbeddingModel(v value, r Route) {
	if r.Kind != catalog.Embeddings {
		return
	}
	var models []string
	for _, name := range r.ModelNames() {
		if m, _, ok := c.findEndpoint(name); ok {
			models = append(models, m.ID)
		}
	}
	if len(unique(models)) > 1 {
		c.reportProblem(value{path: v.path, key: v.key}, CodeEmbeddingRoute, "an embeddings route can use only one model, because vectors of different models cannot be compared")
	}
}
