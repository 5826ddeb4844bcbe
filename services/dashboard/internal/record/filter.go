package record

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Term holds for a record for which one of its tests does, or, with Not, none.
type Term struct {
	Field Field  `json:"field"`
	Not   bool   `json:"not,omitempty"`
	Tests []Test `json:"tests"`
}

// Test compares a field. Text is for fields of words, Number for the others:
// nano-USD, microseconds, or what is counted.
type Test struct {
	Op     Op     `json:"op"`
	Text   string `json:"text,omitempty"`
	Number int64  `json:"number,omitempty"`
}

// Op is how a test compares.
type Op string

// The comparisons. Words know the first three, numbers the first and the rest.
const (
	Equal   Op = "="
	Prefix  Op = "^" // begins with
	Any     Op = "*" // there is one
	Contain Op = "~" // has it in it, whatever the case of its ASCII letters
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
)

// maxFilter bounds a filter's text in bytes, and with it the size of a query.
const maxFilter = 400

// maxTexts bounds free text, each of which is looked for in every record.
const maxTexts = 8

// ParseFilter reads terms set apart by spaces: field:value, or bare words for
// free text. A minus sign before a term turns it round. A value that ends in *
// stands for all that begin so; in double quotes it may have spaces, and * is
// itself. Numbers take <, <=, > and >=. Values of one field are alternatives,
// everything else must hold together: other fields, comparisons, free text.
// What cannot be understood is INVALID_REQUEST with the place, in characters,
// and what was probably meant. It is never ignored.
func ParseFilter(text string) ([]Term, error) {
	if len(text) > maxFilter {
		return nil, refuse(fmt.Sprintf("the filter is longer than %d bytes", maxFilter))
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, refuse("the filter has characters that cannot be typed")
	}
	var terms []Term
	for at, texts := 0, 0; ; {
		w, err := nextWord(text, at)
		if err != nil {
			return nil, err
		}
		if w.end == at {
			return terms, nil
		}
		t, err := w.term()
		if err != nil {
			return nil, err
		}
		if t.Field == ByText {
			texts++
		}
		if texts > maxTexts {
			return nil, w.refuse(fmt.Sprintf("the filter searches for more than %d texts", maxTexts))
		}
		terms, at = addTerm(terms, t), w.end
	}
}

// addTerm joins a term with the one before it that it is an alternative to.
func addTerm(terms []Term, t Term) []Term {
	if t.Field == ByText || t.Field == ByHas || compares(t.Tests[0].Op) {
		return append(terms, t)
	}
	for i := range terms {
		if old := &terms[i]; old.Field == t.Field && old.Not == t.Not && !compares(old.Tests[0].Op) {
			old.Tests = append(old.Tests, t.Tests...)
			return terms
		}
	}
	return append(terms, t)
}

func compares(op Op) bool { return op == Less || op == AtMost || op == More || op == AtLeast }
