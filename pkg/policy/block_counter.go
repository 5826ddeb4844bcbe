package policy

import "github.com/goccy/go-yaml/token"

// blockCounter counts the entries of block lists and mappings before parsing,
// because the parser's time is quadratic in their number.
type blockCounter struct{ listCounts, mappingCounts columnCounts }

// countEntry takes the next token. If it starts an entry, countEntry returns the
// number of entries so far in its list or mapping; otherwise it returns 0.
func (c *blockCounter) countEntry(t *token.Token) int {
	switch {
	case t.Type == token.SequenceEntryType:
		c.mappingCounts.closeFrom(t.Position.Column + 1)
		return c.listCounts.increment(t.Position.Column)
	case t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil:
		// A list may start in the same column as the name that holds it.
		c.listCounts.closeFrom(t.Prev.Position.Column)
		return c.mappingCounts.increment(t.Prev.Position.Column)
	}
	return 0
}

// columnCounts has the number of entries of each open block by its column, leftmost
// first.
type columnCounts []struct{ at, n int }

// closeFrom drops the blocks that start at or right of a column.
func (c *columnCounts) closeFrom(from int) {
	for len(*c) > 0 && (*c)[len(*c)-1].at >= from {
		*c = (*c)[:len(*c)-1]
	}
}

// increment adds an entry to the block at a column and returns its count.
func (c *columnCounts) increment(at int) int {
	c.closeFrom(at + 1)
	if n := len(*c); n == 0 || (*c)[n-1].at != at {
		*c = append(*c, struct{ at, n int }{at: at})
	}
	last := &(*c)[len(*c)-1]
	last.n++
	return last.n
}
