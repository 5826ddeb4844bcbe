package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// readText returns a scalar as written; numbers and booleans need no quotes.
func (r *reader) readText(v value) (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	r.reportProblem(v, CodeWrongType, "must be a text")
	return "", false
}

// readTexts reads a list of distinct texts.
func (r *reader) readTexts(v value) (texts []string, at []value) {
	for _, item := range r.readItems(v) {
		s, ok := r.readText(item)
		if ok && slices.Contains(texts, s) {
			r.reportProblem(item, CodeDuplicateEntry, "%q is listed twice: remove one", s)
			continue
		}
		if ok {
			texts, at = append(texts, s), append(at, item)
		}
	}
	return texts, at
}

func (r *reader) readInteger(v value, least, most int64) int64 {
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
	r.reportProblem(v, CodeBadValue, "must be a whole number from %d to %d", least, most)
	return least
}

func (r *reader) readBool(v value) bool {
	b, ok := v.node.(*ast.BoolNode)
	if !ok {
		r.reportProblem(v, CodeWrongType, "must be true or false")
		return false
	}
	return b.Value
}

// maxDuration is longer than any call; a longer duration is a unit mistake.
const maxDuration = 24 * time.Hour

func (r *reader) readDuration(v value) time.Duration {
	s, ok := r.readText(v)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxDuration {
		r.reportProblem(v, CodeBadValue, "must be a duration such as 500ms, 20s or 10m, at most 24h")
	}
	return d
}
