package policy

import (
	"slices"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// readString returns a scalar as written. Numbers and booleans are accepted without
// quotes.
func (r *reader) readString(v value) (string, bool) {
	switch n := v.node.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	r.reportProblem(v, CodeWrongType, "must be a string")
	return "", false
}

// readStrings reads a list of distinct strings.
func (r *reader) readStrings(v value) (values []string, at []value) {
	for _, item := range r.readItems(v) {
		s, ok := r.readString(item)
		if ok && slices.Contains(values, s) {
			r.reportProblem(item, CodeDuplicateEntry, "%q is listed twice: remove one", s)
			continue
		}
		if ok {
			values, at = append(values, s), append(at, item)
		}
	}
	return values, at
}

// readText is like readString, but returns "" for another type.
func (r *reader) readText(v value) string {
	text, _ := r.readString(v)
	return text
}

// readTexts is like readStrings without the positions.
func (r *reader) readTexts(v value) []string {
	texts, _ := r.readStrings(v)
	return texts
}

// integerUpTo returns a function that reads a whole number from 1.
func (r *reader) integerUpTo(highest int64) func(value) int64 {
	return func(v value) int64 { return r.readInteger(v, 1, highest) }
}

func (r *reader) readInteger(v value, lowest, highest int64) int64 {
	n, ok := v.node.(*ast.IntegerNode)
	if ok {
		switch i := n.Value.(type) {
		case int64:
			if i >= lowest && i <= highest {
				return i
			}
		case uint64:
			if i <= uint64(highest) && int64(i) >= lowest {
				return int64(i)
			}
		}
	}
	r.reportProblem(v, CodeBadValue, "must be a whole number from %d to %d", lowest, highest)
	return lowest
}

func (r *reader) readBool(v value) bool {
	r.words.addValues(v, "true", "false")
	b, ok := v.node.(*ast.BoolNode)
	if !ok {
		r.reportProblem(v, CodeWrongType, "must be true or false")
		return false
	}
	return b.Value
}

// maxDuration is longer than any call. A longer duration is probably written in the
// wrong unit.
const maxDuration = 24 * time.Hour

func (r *reader) readDuration(v value) time.Duration {
	s, ok := r.readString(v)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxDuration {
		r.reportProblem(v, CodeBadValue, "must be a duration such as 500ms, 20s or 10m, at most 24h")
	}
	return d
}
