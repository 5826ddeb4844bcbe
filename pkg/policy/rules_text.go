package policy

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// rulesText is a document, cut at its rules. gaps[i] is the text before rules[i], and the
// last gap is the text after all rules.
type rulesText struct {
	rules, gaps []string
	// lead and end surround an added rule, and separator is the gap beside it.
	lead, end, separator string
}

func (t *rulesText) String() string {
	var b strings.Builder
	for i, r := range t.rules {
		b.WriteString(t.gaps[i])
		b.WriteString(r)
	}
	b.WriteString(t.gaps[len(t.rules)])
	return b.String()
}

func (t *rulesText) insert(at int, rule string) {
	beside := min(at+1, len(t.rules))
	t.rules = slices.Insert(t.rules, at, t.lead+rule+t.end)
	t.gaps = slices.Insert(t.gaps, beside, t.separator)
}

// splitBlockRules cuts at rules that have a dash each. A rule has whole lines: the comments
// directly above it, and everything that is indented more than its dash.
func splitBlockRules(document string, list *ast.SequenceNode) (*rulesText, error) {
	if !strings.HasSuffix(document, "\n") {
		document += "\n"
	}
	lines := strings.SplitAfter(document, "\n")
	indent := list.Start.Position.Column - 1
	t := &rulesText{lead: strings.Repeat(" ", indent) + "- ", end: "\n"}
	done := 0
	for _, entry := range list.Entries {
		dash := entry.Start.Position.Line - 1
		if dash < done || dash >= len(lines) || !strings.HasPrefix(lines[dash], t.lead[:indent+1]) {
			return nil, errNotEditable
		}
		first := dash
		for first > done && isComment(lines[first-1]) && indentOf(lines[first-1]) <= indent {
			first--
		}
		last := lastLineOf(lines, dash, indent)
		t.gaps = append(t.gaps, strings.Join(lines[done:first], ""))
		t.rules = append(t.rules, strings.Join(lines[first:last+1], ""))
		done = last + 1
	}
	t.gaps = append(t.gaps, strings.Join(lines[done:], ""))
	return t, nil
}

// lastLineOf returns the last line of the rule whose dash is in a line.
func lastLineOf(lines []string, dash, indent int) int {
	last := dash
	for i := dash + 1; i < len(lines); i++ {
		switch blank := strings.TrimSpace(lines[i]) == ""; {
		case !blank && indentOf(lines[i]) > indent:
			last = i
		case !blank && !isComment(lines[i]):
			return last
		}
	}
	return last
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "#") }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
