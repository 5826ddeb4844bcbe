package policy

import "github.com/goccy/go-yaml/token"

// blockCounter counts the entries of lists and mappings in block style before
// parsing, because the parser's time is quadratic in their number.
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

// columnCounts has the number of entries of each open block by the block's column,
// leftmost first.
type columnCounts []struct{ at, n int }

// closeFrom drops the blocks that start at or right of a column.
func (c *columnCounts) closeFrom(from int) {
	for len(*c) > 0 && (*c)[len(*c)-1].at >= from {
		*c = (*c)[:len(*c)-1]
	}
}

// increment adds an entry to the block at a column and returns the block's count.
func (c *columnCounts) increment(at int) int {
	c.closeFrom(at + 1)
	if n := len(*c); n == 0 || (*c)[n-1].at != at {
		*c = append(*c, struct{ at, n int }{at: at})
	}
	last := &(*c)[len(*c)-1]
	last.n++
	return last.n
}
