package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Schema is the version of the document's language that this build reads.
const Schema = 1

// Compile reads a document and fills in from the catalog what it leaves out.
// A document with faults returns all of them, as Problems.
func Compile(document []byte, cat *catalog.Catalog) (*Policy, error) {
	root, problems := parse(document)
	if len(problems) > 0 {
		return nil, problems.sorted()
	}
	c := &compiler{cat: cat, out: &Policy{
		Schema: Schema, Catalog: cat.Version(),
		Providers: []Provider{}, Models: []Model{}, Routes: []Route{},
	}}
	c.document(value{node: root})
	if len(c.problems) > 0 {
		return nil, c.problems.sorted()
	}
	if err := c.out.seal(); err != nil {
		return nil, err
	}
	if len(c.out.canonical) > maxCompiled {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeTooLarge, Message: "compiled, with what the catalog adds, the document is larger than 4 MiB"}}
	}
	return c.out, nil
}

// maxCompiled is what can be sent to proxies as one message, with room to spare.
const maxCompiled = 4 << 20

// compiler fills a policy from a document. What is named is entered even when
// it is faulty, so that one fault is not reported at every mention.
type compiler struct {
	reader
	cat *catalog.Catalog
	out *Policy
	// written are the aliases of the document.
	written map[string]value
	// wiresOf are by provider.
	wiresOf map[string]wirePair
	// routeNames are those of all routes, named where they were taken for
	// models, and inRoute is the one that is being read.
	routeNames map[string]bool
	named      []routeName
	inRoute    string
}

func (c *compiler) document(root value) {
	f := c.fields(root, "version", "providers", "models", "defaults", "routes")
	if v, ok := f["version"]; !ok {
		c.fail(root, CodeMissingField, "the first line must be version: %d", Schema)
	} else if text, ok := c.text(v); ok && text != "1" {
		c.fail(v, CodeBadVersion, "this build reads version %d", Schema)
	}
	for _, v := range c.entries(f["providers"]) {
		c.provider(v)
	}
	providers := slices.Clone(c.out.Providers)
	for _, v := range c.entries(f["models"]) {
		c.model(v)
	}
	routes := c.entries(f["routes"])
	c.routeNames = map[string]bool{}
	for _, v := range routes {
		_, model := c.findModel(v.name)
		c.routeNames[v.name] = !model
	}
	for _, v := range routes {
		c.route(v)
	}
	c.checkRouteNames()
	c.checkAliases()
	c.defaults(f["defaults"], providers)
}

// checkAliases makes sure that no written alias hides behind another name.
func (c *compiler) checkAliases() {
	for name, at := range c.written {
		_, model := c.findModel(name)
		if model || slices.ContainsFunc(c.out.Routes, func(r Route) bool { return r.Name == name }) {
			c.fail(at, CodeNameTaken, "%q is also the name of a model or a route", name)
		}
	}
}

func (c *compiler) defaults(v value, providers []Provider) {
	d := &c.out.Defaults
	f := c.fields(v, "baseline", "embedding_baseline", "unlisted", "retries", "breaker", "logging")
	if v, ok := f["baseline"]; ok {
		d.Baseline = c.modelName(v, catalog.Chat)
	}
	if v, ok := f["embedding_baseline"]; ok {
		d.EmbeddingBaseline = c.modelName(v, catalog.Embeddings)
	}
	if v, ok := f["unlisted"]; !ok || c.oneOf(v, CodeBadValue, []string{"allow", "deny"}) == "allow" {
		c.unlisted(providers)
	}
	d.Retries, d.Breaker = c.retries(f["retries"]), c.breaker(f["breaker"])
	if v, ok := c.fields(f["logging"], "redact")["redact"]; ok {
		d.Logging.Redact = c.patterns(v)
	}
}

// modelName reads the name of a model of this policy, of the given kind.
func (c *compiler) modelName(v value, kind catalog.Kind) string {
	name, ok := c.text(v)
	if !ok {
		return ""
	}
	m, ok := c.findModel(name)
	if !ok {
		if _, known := c.cat.Model(name); known {
			c.fail(v, CodeUnknownModel, "%q is in the catalog but not in this policy: write %q under models", name, name+": {}")
		} else {
			c.failNear(v, CodeUnknownModel, name, c.modelNames(), "there is no model %q under models", name)
		}
		return name
	}
	if m.Kind != kind {
		c.fail(v, CodeWrongKind, "%q is for %s, wanted is one for %s", name, m.Kind, kind)
	}
	return name
}

func (c *compiler) findModel(name string) (*Model, bool) {
	i := slices.IndexFunc(c.out.Models, func(m Model) bool { return m.ID == name })
	if i < 0 {
		return nil, false
	}
	return &c.out.Models[i], true
}

func (c *compiler) modelNames() []string {
	names := make([]string, len(c.out.Models))
	for i, m := range c.out.Models {
		names[i] = m.ID
	}
	return names
}

const maxName = 128

// checkName keeps names fit for a model field, a header and a metric's label.
func (c *compiler) checkName(v value, marks string) {
	if !isName(v.name, marks) {
		c.fail(value{path: v.path, key: v.key}, CodeBadName, badName, marks, maxName)
	}
}

const badName = "a name has letters, digits and %s, at most %d, and begins with a letter or digit"

func isName(name, marks string) bool {
	ok := name != "" && len(name) <= maxName && isAlnum(rune(name[0]))
	for _, r := range name {
		ok = ok && (isAlnum(r) || strings.ContainsRune(marks, r))
	}
	return ok
}

func isAlnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// oneOf reads one of few words.
func (c *compiler) oneOf(v value, code string, known []string) string {
	text, ok := c.text(v)
	if ok && !slices.Contains(known, text) {
		c.failNear(v, code, text, known, "%q is not one of %s", text, strings.Join(known, ", "))
	}
	return text
}
