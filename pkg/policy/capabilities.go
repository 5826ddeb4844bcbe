package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readCapabilities reads the capabilities of a model. Words with a + or - prefix
// change the catalog's list; words without one replace it.
func (c *compiler) readCapabilities(v value, m *catalog.Model) (has, unknown []catalog.Capability) {
	texts, at := c.readTexts(v)
	edits := slices.ContainsFunc(texts, isEdit)
	if edits {
		has, unknown = slices.Clone(m.Capabilities), slices.Clone(m.Unknown)
	}
	for i, text := range texts {
		word, ok := c.checkCapability(at[i], strings.TrimLeft(text, "+-"))
		switch {
		case !ok:
			continue
		case edits && !isEdit(text):
			c.reportProblem(at[i], CodeBadValue, "use + or - on every capability to change the catalog's list, or on none to replace it")
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

func (c *compiler) checkCapability(v value, text string) (catalog.Capability, bool) {
	var known []string
	for _, k := range catalog.Capabilities() {
		known = append(known, string(k))
	}
	if !slices.Contains(known, text) {
		c.reportUnknownName(v, CodeUnknownCapability, text, known, "unknown capability %q", text)
		return "", false
	}
	return catalog.Capability(text), true
}

// readLacks reads the capabilities that an endpoint does not support.
func (c *compiler) readLacks(v value) []catalog.Capability {
	texts, at := c.readTexts(v)
	all := []catalog.Capability{}
	for i, text := range texts {
		if word, ok := c.checkCapability(at[i], text); ok {
			all = append(all, word)
		}
	}
	return all
}
