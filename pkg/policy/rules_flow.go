package policy

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// splitFlowRules cuts at rules in brackets, at their commas.
func splitFlowRules(document string, list *ast.SequenceNode) (*rulesText, error) {
	start := offsetOf(document, list.Start.Position.Line, list.Start.Position.Column)
	if start < 0 || document[start] != '[' {
		return nil, errNotEditable
	}
	t, next, done := &rulesText{separator: ", "}, start+1, 0
	for _, cut := range findCommas(document, start) {
		rule := strings.TrimSpace(document[next:cut])
		if rule == "" { // the list ends with a comma
			break
		}
		from := next + strings.Index(document[next:cut], rule)
		t.gaps, t.rules = append(t.gaps, document[done:from]), append(t.rules, rule)
		next, done = cut+1, from+len(rule)
	}
	if len(t.rules) != len(list.Values) {
		return nil, errNotEditable
	}
	t.gaps = append(t.gaps, document[done:])
	return t, nil
}

// findCommas returns the offsets of the commas of a list in brackets, and of its closing
// bracket. It returns nothing for a list with comments, which belong to no certain rule.
func findCommas(document string, start int) (cuts []int) {
	depth, quote, before := 0, byte(0), byte(0)
	for i := start; i < len(document); i++ {
		c := document[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && strings.IndexByte("[{,:", before) >= 0:
			quote = c
		case c == '#':
			return nil
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return append(cuts, i)
			}
		case c == ',' && depth == 1:
			cuts = append(cuts, i)
		}
		if c != ' ' && c != '\n' && c != '\r' {
			before = c
		}
	}
	return nil
}

// offsetOf returns the byte offset of a position; -1 if the document does not have it.
// Columns count characters.
func offsetOf(document string, line, column int) int {
	offset := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(document[offset:], '\n')
		if end < 0 {
			return -1
		}
		offset += end + 1
	}
	for i := range document[offset:] {
		if column--; column == 0 {
			return offset + i
		}
	}
	return -1
}
