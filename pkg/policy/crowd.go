package policy

import "github.com/goccy/go-yaml/token"

// crowd counts the entries of the lists and mappings that are written without
// brackets, before the parser does, whose work grows with the square of them.
type crowd struct{ items, names columns }

// enter takes the next token and returns how many entries there are so far in
// what it is an entry of; 0 if it is none.
func (c *crowd) enter(t *token.Token) int {
	switch {
	case t.Type == token.SequenceEntryType:
		c.names.end(t.Position.Column + 1)
		return c.items.count(t.Position.Column)
	case t.Type == token.MappingValueType && t.Prev != nil && t.Prev.Position != nil:
		// A list may stand in the column of its name.
		c.items.end(t.Prev.Position.Column)
		return c.names.count(t.Prev.Position.Column)
	}
	return 0
}

// columns are the counts of what has not ended, by the column in which it
// begins, the leftmost first.
type columns []struct{ at, n int }

// end drops what begins in a column or to the right of it.
func (c *columns) end(from int) {
	for len(*c) > 0 && (*c)[len(*c)-1].at >= from {
		*c = (*c)[:len(*c)-1]
	}
}

// count is how many there are in a column, with one more.
func (c *columns) count(at int) int {
	c.end(at + 1)
	if n := len(*c); n == 0 || (*c)[n-1].at != at {
		*c = append(*c, struct{ at, n int }{at: at})
	}
	last := &(*c)[len(*c)-1]
	last.n++
	return last.n
}
