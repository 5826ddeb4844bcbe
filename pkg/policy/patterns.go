package policy

import (
	"cmp"
	"regexp/syntax"
	"slices"
)

const (
	// maxPatterns, maxPattern and maxProgram bound what every redacted text is
	// searched for: each pattern is another walk through it, as slow as the
	// pattern is large.
	maxPatterns = 50
	maxPattern  = 512
	maxProgram  = 4096
	// patternMarks may stand in a pattern's name, which becomes part of notes.
	patternMarks = "._-"
)

// patterns reads the list of what is not to be kept. Its order means nothing.
func (c *compiler) patterns(v value) []Pattern {
	var all []Pattern
	items := c.items(v)
	if len(items) > maxPatterns {
		c.fail(v, CodeTooLarge, "at most %d patterns", maxPatterns)
		return nil
	}
	for _, item := range items {
		p := c.pattern(item)
		if p.Name != "" && slices.ContainsFunc(all, func(other Pattern) bool { return other.Name == p.Name }) {
			c.fail(item, CodeDuplicateEntry, "%q is listed twice", p.Name)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Pattern) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

func (c *compiler) pattern(v value) (p Pattern) {
	f := c.fields(v, "name", "pattern")
	name, named := f["name"]
	pattern, written := f["pattern"]
	if !named || !written {
		c.fail(v, CodeMissingField, "a pattern needs a name and a pattern")
		return p
	}
	if text, ok := c.text(name); ok {
		p.Name = text
		if !isName(text, patternMarks) {
			c.fail(name, CodeBadName, badName, patternMarks, maxName)
		}
	}
	if text, ok := c.text(pattern); ok {
		p.Pattern = text
		if fault := patternFault(text); fault != "" {
			c.fail(pattern, CodeBadPattern, "%s", fault)
		}
	}
	return p
}

// patternFault says what is wrong with a regular expression, nothing if it can
// be used.
func patternFault(pattern string) string {
	if len(pattern) > maxPattern {
		return "the pattern is too long"
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "this is no regular expression of RE2: " + err.Error()
	}
	if mayBeEmpty(tree) {
		return "the pattern also finds nothing, everywhere"
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return "the pattern is too complex"
	}
	return ""
}

// mayBeEmpty tells whether an expression can match without taking anything.
func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !mayBeEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBeEmpty)
	case syntax.OpCapture, syntax.OpPlus:
		return mayBeEmpty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	}
	return true
}
