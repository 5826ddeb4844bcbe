package policy

import "github.com/goccy/go-yaml/token"

// blockCounter counts the entries of lists and mappings in block style, which is YAML
// without brackets and braces. The count is needed before parsing: the parser's time is
// quadratic in the number of entries, so a very long list or mapping would take too long.
type blockCounter struct{ listCounts, mappingCounts columnCounts }

// countEntry processes the next token. If the token starts an entry, countEntry
// returns the number of entries so far in its list or mapping. Otherwise it returns 0.
func (c *blockCounter) countEntry(t *token.Token) int {
	switch {
	case t.Type == token.SequenceEntryType:
		c.mappingCounts.closeFrom(t.Position.Column + 1)
		return c.listCounts.increment(t.Position.Column)
	case t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil:
		// A list may start in the same column as the key that it belongs to.
		c.listCounts.closeFrom(t.Prev.Position.Column)
		return c.mappingCounts.increment(t.Prev.Position.Column)
	}
	return 0
}

// columnCounts holds the number of entries of each open block, with the column in which
// the block starts. The leftmost block comes first.
type columnCounts []struct{ column, count int }

// closeFrom drops the blocks that start in the given column or to the right of it.
func (c *columnCounts) closeFrom(column int) {
	for len(*c) > 0 && (*c)[len(*c)-1].column >= column {
		*c = (*c)[:len(*c)-1]
	}
}

// increment adds an entry to the block in the given column and returns the new count.
func (c *columnCounts) increment(column int) int {
	c.closeFrom(column + 1)
	if n := len(*c); n == 0 || (*c)[n-1].column != column {
		*c = append(*c, struct{ column, count int }{column: column})
	}
	last := &(*c)[len(*c)-1]
	last.count++
	return last.count
}
