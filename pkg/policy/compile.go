package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// Schema is the version of the document format that this build reads.
const Schema = 1

// Compile compiles a document. Values that the document omits come from the catalog.
// For an invalid document it returns an error of type Problems, which lists as many
// problems as one pass can find.
func Compile(document []byte, cat *catalog.Catalog, options ...Option) (*Policy, error) {
	root, problems := parse(document)
	if len(problems) > 0 {
		return nil, problems.sortByPosition()
	}
	c := &compiler{catalog: cat, policy: &Policy{
		Schema: Schema, Catalog: cat.Version(),
		Providers: []Provider{}, Models: []Model{}, Routes: []Route{},
	}}
	for _, apply := range options {
		apply(c)
	}
	c.readDocument(value{node: root})
	if len(c.problems) > 0 {
		return nil, c.problems.sortByPosition()
	}
	if err := c.policy.seal(); err != nil {
		return nil, err
	}
	if len(c.policy.canonical) > maxCompiled {
		return nil, Problems{{Line: 1, Column: 1, Code: CodeTooLarge, Message: "the compiled policy is too large: with the catalog's data it exceeds 4 MiB"}}
	}
	return c.policy, nil
}

// maxCompiled is well below the size limit of a message to a proxy.
const maxCompiled = 4 << 20

// compiler fills a policy from a document. It also adds invalid entries, so that their
// names still resolve. Without them, every use of such a name would be a further problem.
type compiler struct {
	reader
	catalog *catalog.Catalog
	policy  *Policy
	// secretAllowed restricts the references to secrets. Nil allows all of them.
	secretAllowed SecretRule
	// writtenAliases maps each alias in the document to its position.
	writtenAliases map[string]value
	// wiresByProvider maps the name of a provider to its deviations from the wire format.
	wiresByProvider map[string]wirePair
	// routeNames has the names of all routes. The value is false if a model has the
	// same name.
	routeNames map[string]bool
	// routeMentions are the uses of a route's name where a model is expected.
	routeMentions []routeMention
	// currentRoute is the name of the route being read.
	currentRoute string
}

func (c *compiler) readDocument(root value) {
	f := c.readFields(root, "version", "providers", "models", "defaults", "routes", "experiments")
	if v, ok := f["version"]; !ok {
		c.reportProblem(root, CodeMissingField, `"version" is missing: add "version: %d" as the first line`, Schema)
	} else if text, ok := c.readString(v); ok && text != "1" {
		c.reportProblem(v, CodeBadVersion, "unsupported version: this build reads version %d", Schema)
	}
	for _, v := range c.readEntries(f["providers"]) {
		c.readProvider(v)
	}
	providers := slices.Clone(c.policy.Providers)
	for _, v := range c.readEntries(f["models"]) {
		c.readModel(v)
	}
	routes := c.readEntries(f["routes"])
	c.routeNames = map[string]bool{}
	for _, v := range routes {
		_, model := c.findModel(v.name)
		c.routeNames[v.name] = !model
	}
	for _, v := range routes {
		c.readRoute(v)
	}
	c.readExperiments(f["experiments"])
	c.checkRouteMentions()
	c.checkAliases()
	c.readDefaults(f["defaults"], providers)
}

// checkAliases reports aliases that are also the name of a model or a route.
func (c *compiler) checkAliases() {
	for name, at := range c.writtenAliases {
		_, model := c.findModel(name)
		if model || slices.ContainsFunc(c.policy.Routes, func(r Route) bool { return r.Name == name }) {
			c.reportProblem(at, CodeNameTaken, "%q is also the name of a model or a route: choose another alias", name)
		}
	}
}

func (c *compiler) readDefaults(v value, providers []Provider) {
	d := &c.policy.Defaults
	f := c.readFields(v, "baseline", "embedding_baseline", "unlisted", "retries", "breaker", "logging")
	setField(f, "baseline", &d.Baseline, c.modelNameOf(catalog.Chat))
	setField(f, "embedding_baseline", &d.EmbeddingBaseline, c.modelNameOf(catalog.Embeddings))
	if v, ok := f["unlisted"]; !ok || c.readOneOf(v, CodeBadValue, []string{"allow", "deny"}) == "allow" {
		c.addUnlistedModels(providers)
	}
	d.Retries, d.Breaker = c.readRetries(f["retries"]), c.readBreaker(f["breaker"])
	if v, ok := c.readFields(f["logging"], "redact")["redact"]; ok {
		d.Logging.Redact = c.readPatterns(v)
	}
}

// modelNameOf returns a function that reads the name of a model of the kind.
func (c *compiler) modelNameOf(kind catalog.Kind) func(value) string {
	return func(v value) string { return c.readModelName(v, kind) }
}

// readModelName reads the name of a model of this policy. The model must be of the given
// kind.
func (c *compiler) readModelName(v value, kind catalog.Kind) string {
	name, ok := c.readString(v)
	if !ok {
		return ""
	}
	c.checkModelName(v, name, kind)
	return name
}

// checkModelName reports a name that is not a model of this policy of the given kind.
func (c *compiler) checkModelName(v value, name string, kind catalog.Kind) {
	c.words.addModel(v)
	m, ok := c.findModel(name)
	if !ok {
		if _, known := c.catalog.Model(name); known {
			c.reportProblem(v, CodeUnknownModel, `%q is in the catalog but not in this policy: add %q under "models"`, name, name+": {}")
		} else {
			c.reportUnknownName(v, CodeUnknownModel, name, c.modelNames(), `unknown model %q: add it under "models"`, name)
		}
		return
	}
	if m.Kind != kind {
		c.reportProblem(v, CodeWrongKind, "%q is a model for %s, but a model for %s is required here", name, m.Kind, kind)
	}
}

func (c *compiler) findModel(name string) (*Model, bool) {
	i := slices.IndexFunc(c.policy.Models, func(m Model) bool { return m.ID == name })
	if i < 0 {
		return nil, false
	}
	return &c.policy.Models[i], true
}

func (c *compiler) modelNames() []string {
	names := make([]string, len(c.policy.Models))
	for i, m := range c.policy.Models {
		names[i] = m.ID
	}
	return names
}

const maxNameLength = 128

// checkName reports a name that cannot be a model in a request, a header value or a
// metric label. marks are the allowed punctuation marks.
func (c *compiler) checkName(v value, marks string) {
	if !isName(v.name, marks) {
		c.reportProblem(value{path: v.path, key: v.key}, CodeBadName, badNameMessage, marks, maxNameLength)
	}
}

const badNameMessage = "a name may contain letters, digits and %s, must start with a letter or digit, and has at most %d characters"

func isName(name, marks string) bool {
	ok := name != "" && len(name) <= maxNameLength && isAlnum(rune(name[0]))
	for _, r := range name {
		ok = ok && (isAlnum(r) || strings.ContainsRune(marks, r))
	}
	return ok
}

func isAlnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// readOneOf reads a keyword that must be one of the known keywords.
func (c *compiler) readOneOf(v value, code string, known []string) string {
	c.words.addValues(v, known...)
	text, ok := c.readString(v)
	if ok && !slices.Contains(known, text) {
		c.reportUnknownName(v, code, text, known, "%q is not allowed: use one of %s", text, strings.Join(known, ", "))
	}
	return text
}
