package record

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term is one condition of a filter. It matches a record if at least one of its
// tests matches. With Not, it matches if no test matches.
type Term struct {
	Field Field  `json:"field"`
	Not   bool   `json:"not,omitempty"`
	Tests []Test `json:"tests"`
}

// Test compares a field with a value. Text fields use Text. Numeric fields use
// Number, in nano-USD, microseconds or plain counts.
type Test struct {
	Op     Op     `json:"op"`
	Text   string `json:"text,omitempty"`
	Number int64  `json:"number,omitempty"`
}

// Op is a comparison operator.
type Op string

// The operators. Text fields accept Equal, Prefix and Any. Numeric fields
// accept Equal and the orderings. Free text accepts only Contains.
const (
	Equal    Op = "="
	Prefix   Op = "^" // starts with
	Any      Op = "*" // is not empty
	Contains Op = "~" // contains, ignoring the case of ASCII letters
	Less     Op = "<"
	AtMost   Op = "<="
	More     Op = ">"
	AtLeast  Op = ">="
)

// maxFilterBytes limits the length of a filter, because a longer filter makes a
// longer SQL query.
const maxFilterBytes = 400

// maxFreeTexts limits the number of free-text terms, because each of them may be
// compared with every record.
const maxFreeTexts = 8

// ParseFilter parses terms separated by spaces. A term is field:value, or a bare
// word for free text. The syntax of a term:
//   - A leading minus sign negates the term.
//   - A value that ends in * matches by prefix.
//   - A value in double quotes may contain spaces, and its * is literal.
//   - Numeric fields accept <, <=, > and >=.
//
// Several values of one field are alternatives, except for the field has. All
// other terms must match together: different fields, comparisons and free text.
// Invalid input returns INVALID_REQUEST. For an invalid term, the error has the
// position of the term in characters, and a similar name if there is one.
func ParseFilter(text string) ([]Term, error) {
	if len(text) > maxFilterBytes {
		return nil, newFilterError(fmt.Sprintf("the filter is longer than %d bytes", maxFilterBytes))
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, newFilterError("the filter contains control characters or invalid UTF-8; remove them")
	}
	var terms []Term
	for at, texts := 0, 0; ; {
		typed, err := nextTypedTerm(text, at)
		if err != nil {
			return nil, err
		}
		if typed.end == at {
			return terms, nil
		}
		t, err := typed.parseTerm()
		if err != nil {
			return nil, err
		}
		if t.Field == ByText {
			texts++
		}
		if texts > maxFreeTexts {
			return nil, typed.errorAt(fmt.Sprintf("the filter has more than %d free-text terms", maxFreeTexts))
		}
		terms, at = mergeTerm(terms, t), typed.end
	}
}

// mergeTerm appends a term, or adds its tests to an earlier term of the same
// field if the two are alternatives.
func mergeTerm(terms []Term, t Term) []Term {
	if t.Field == ByText || t.Field == ByHas || isOrdering(t.Tests[0].Op) {
		return append(terms, t)
	}
	for i := range terms {
		if old := &terms[i]; old.Field == t.Field && old.Not == t.Not && !isOrdering(old.Tests[0].Op) {
			old.Tests = append(old.Tests, t.Tests...)
			return terms
		}
	}
	return append(terms, t)
}

func isOrdering(op Op) bool { return op == Less || op == AtMost || op == More || op == AtLeast }
