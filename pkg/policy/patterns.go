package policy

import (
	"cmp"
	"fmt"
	"regexp/syntax"
	"slices"
)

const (
	// maxPatterns limits the time of redaction. Redaction searches each text for every
	// pattern, and again after each layer of escapes is removed.
	maxPatterns = 50
	// A large pattern slows down every search. maxPatternBytes limits its text, and
	// maxProgramSize limits the instructions of the compiled expression.
	maxPatternBytes = 512
	maxProgramSize  = 4096
	// patternMarks are the punctuation marks allowed in a pattern's name.
	patternMarks = "._-"
)

// readPatterns reads the patterns to redact and sorts them by name.
func (c *compiler) readPatterns(v value) []Pattern {
	var all []Pattern
	items := c.readItems(v)
	if len(items) > maxPatterns {
		c.reportProblem(v, CodeTooLarge, "too many patterns: at most %d are allowed", maxPatterns)
		return nil
	}
	for _, item := range items {
		p := c.readPattern(item)
		if p.Name != "" && slices.ContainsFunc(all, func(other Pattern) bool { return other.Name == p.Name }) {
			c.reportProblem(item, CodeDuplicateEntry, "%q is listed twice: remove one", p.Name)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Pattern) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (c *compiler) readPattern(v value) (p Pattern) {
	f := c.readFields(v, "name", "pattern")
	name, named := f["name"]
	pattern, written := f["pattern"]
	if !named || !written {
		c.reportProblem(v, CodeMissingField, `a pattern needs the fields "name" and "pattern"`)
		return p
	}
	if text, ok := c.readString(name); ok {
		p.Name = text
		if !isName(text, patternMarks) {
			c.reportProblem(name, CodeBadName, badNameMessage, patternMarks, maxNameLength)
		}
	}
	if text, ok := c.readString(pattern); ok {
		p.Pattern = text
		if fault := checkPattern(text); fault != "" {
			c.reportProblem(pattern, CodeBadPattern, "%s", fault)
		}
	}
	return p
}

// checkPattern returns what is wrong with a regular expression, or "" if it is valid.
func checkPattern(pattern string) string {
	if len(pattern) > maxPatternBytes {
		return fmt.Sprintf("the pattern is too long: it can have at most %d bytes", maxPatternBytes)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "invalid RE2 regular expression: " + err.Error()
	}
	if matchesEmpty(tree) {
		return "the pattern matches the empty string: make it match at least one character"
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgramSize {
		return "the pattern is too complex: simplify it or split it"
	}
	return ""
}

// matchesEmpty reports whether an expression can match the empty string.
func matchesEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !matchesEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, matchesEmpty)
	case syntax.OpCapture, syntax.OpPlus:
		return matchesEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || matchesEmpty(re.Sub[0])
	}
	return true
}
