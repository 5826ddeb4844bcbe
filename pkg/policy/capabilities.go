package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// capabilities reads what a model can, or how that differs from what the
// catalog says: words with a + or a - in front are added or taken away.
func (c *compiler) capabilities(v value, m *catalog.Model) (has, unknown []catalog.Capability) {
	texts, at := c.texts(v)
	edits := slices.ContainsFunc(texts, isEdit)
	if edits {
		has, unknown = slices.Clone(m.Capabilities), slices.Clone(m.Unknown)
	}
	for i, text := range texts {
		word, ok := c.capability(at[i], strings.TrimLeft(text, "+-"))
		switch {
		case !ok:
			continue
		case edits && !isEdit(text):
			c.fail(at[i], CodeBadValue, "write all with a + or a -, which change what the catalog says, or none, which replaces it")
		}
		same := func(x catalog.Capability) bool { return x == word }
		has, unknown = slices.DeleteFunc(has, same), slices.DeleteFunc(unknown, same)
		if !strings.HasPrefix(text, "-") {
			has = append(has, word)
		}
	}
	return has, unknown
}

func isEdit(text string) bool { return strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") }

func (c *compiler) capability(v value, text string) (catalog.Capability, bool) {
	var known []string
	for _, k := range catalog.Capabilities() {
		known = append(known, string(k))
	}
	if !slices.Contains(known, text) {
		c.failNear(v, CodeUnknownCapability, text, known, "%q is not a capability", text)
		return "", false
	}
	return catalog.Capability(text), true
}

// lacks reads what a place does not offer.
func (c *compiler) lacks(v value) []catalog.Capability {
	texts, at := c.texts(v)
	all := []catalog.Capability{}
	for i, text := range texts {
		if word, ok := c.capability(at[i], text); ok {
			all = append(all, word)
		}
	}
	return all
}
