package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// text is a scalar as it is written; a number needs no quotes to be one.
func (r *reader) text(v value) (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	r.fail(v, CodeWrongType, "want a text")
	return "", false
}

// texts is a list of different texts.
func (r *reader) texts(v value) (texts []string, at []value) {
	for _, item := range r.items(v) {
		s, ok := r.text(item)
		if ok && slices.Contains(texts, s) {
			r.fail(item, CodeDuplicateEntry, "%q is listed twice", s)
			continue
		}
		if ok {
			texts, at = append(texts, s), append(at, item)
		}
	}
	return texts, at
}

func (r *reader) integer(v value, least, most int64) int64 {
	n, ok := v.node.(*ast.IntegerNode)
	if ok {
		switch i := n.Value.(type) {
		case int64:
			if i >= least && i <= most {
				return i
			}
		case uint64:
			if i <= uint64(most) && int64(i) >= least {
				return int64(i)
			}
		}
	}
	r.fail(v, CodeBadValue, "want a whole number from %d to %d", least, most)
	return least
}

func (r *reader) flag(v value) bool {
	b, ok := v.node.(*ast.BoolNode)
	if !ok {
		r.fail(v, CodeWrongType, "want true or false")
		return false
	}
	return b.Value
}

// longest is beyond any call; a longer time is a slip of the unit.
const longest = 24 * time.Hour

func (r *reader) duration(v value) time.Duration {
	s, ok := r.text(v)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > longest {
		r.fail(v, CodeBadValue, "want a length of time such as 500ms, 20s or 10m, at most 24h")
	}
	return d
}
