package policy

import (
	"slices"
	"strings"

	"github.com/signalbox/signalbox/pkg/catalog"
)

// readCapabilities reads the capabilities of a model. Entries with a + or - prefix
// change the catalog's list. Entries without a prefix replace the list. The second
// result lists the capabilities about which neither the catalog nor the document has
// information. It is empty if the document replaces the list.
func (c *compiler) readCapabilities(v value, m *catalog.Model) (has, unknown []catalog.Capability) {
	entries, at := c.readStrings(v)
	edits := slices.ContainsFunc(entries, isEdit)
	if edits {
		has, unknown = slices.Clone(m.Capabilities), slices.Clone(m.Unknown)
	}
	for i, entry := range entries {
		capability, ok := c.checkCapability(at[i], strings.TrimLeft(entry, "+-"))
		switch {
		case !ok:
			continue
		case edits && !isEdit(entry):
			c.reportProblem(at[i], CodeBadValue, "use + or - on every capability to change the catalog's list, or on none to replace it")
		}
		same := func(x catalog.Capability) bool { return x == capability }
		has, unknown = slices.DeleteFunc(has, same), slices.DeleteFunc(unknown, same)
		if !strings.HasPrefix(entry, "-") {
			has = append(has, capability)
		}
	}
	return has, unknown
}

func isEdit(text string) bool { return strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") }

func (c *compiler) checkCapability(v value, name string) (catalog.Capability, bool) {
	var known []string
	for _, k := range catalog.Capabilities() {
		known = append(known, string(k))
	}
	c.words.addValues(v, known...)
	if !slices.Contains(known, name) {
		c.reportUnknownName(v, CodeUnknownCapability, name, known, "unknown capability %q", name)
		return "", false
	}
	return catalog.Capability(name), true
}

// readLacks reads the capabilities that an endpoint does not support.
func (c *compiler) readLacks(v value) []catalog.Capability {
	names, at := c.readStrings(v)
	all := []catalog.Capability{}
	for i, name := range names {
		if capability, ok := c.checkCapability(at[i], name); ok {
			all = append(all, capability)
		}
	}
	return all
}
