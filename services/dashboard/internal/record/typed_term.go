package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// typedTerm is one term of a filter as the user typed it.
type typedTerm struct {
	filter     string
	start, end int // byte offsets in the filter
	negated    bool
	named      bool // starts with a field name
	field      Field
	value      string
	quoted     bool
}

// nextTypedTerm returns the first term at or after an offset. At the end of the
// filter the term is empty and its end equals the offset.
func nextTypedTerm(filter string, offset int) (typedTerm, error) {
	t := typedTerm{filter: filter, start: offset}
	for t.start < len(filter) && filter[t.start] == ' ' {
		t.start++
	}
	if t.start == len(filter) {
		t.end = offset
		return t, nil
	}
	rest := filter[t.start:]
	rest, t.negated = strings.CutPrefix(rest, "-")
	if plain, _, _ := strings.Cut(rest, " "); !strings.HasPrefix(plain, `"`) {
		var name string
		if name, _, t.named = strings.Cut(plain, ":"); t.named {
			t.field, rest = Field(name), rest[len(name)+1:]
		}
	}
	tail := ""
	if value, ok := strings.CutPrefix(rest, `"`); ok {
		t.quoted = true
		var closed bool
		t.value, tail, closed = strings.Cut(value, `"`)
		if t.end = len(filter) - len(tail); !closed || tail != "" && tail[0] != ' ' {
			return t, t.errorAt("a quoted value must end with a double quote, followed by a space or the end of the filter")
		}
		return t, nil
	}
	t.value, _, _ = strings.Cut(rest, " ")
	t.end = len(filter) - len(rest) + len(t.value)
	return t, nil
}

func (t typedTerm) parseTerm() (Term, error) {
	if !t.named {
		return t.parseFreeText()
	}
	spec, ok := findFieldSpec(t.field)
	if !ok {
		return Term{}, t.unknownFieldError()
	}
	if t.value == "" {
		return Term{}, t.errorAt(fmt.Sprintf("the filter has no value for %s", t.field))
	}
	test, err := spec.parseTest(t)
	return Term{Field: t.field, Not: t.negated, Tests: []Test{test}}, err
}

// parseFreeText returns a free-text term. A text that looks like a record's id
// becomes an id search, because an index finds ids faster.
func (t typedTerm) parseFreeText() (Term, error) {
	if t.value == "" {
		return Term{}, t.errorAt("the filter has an empty search term")
	}
	if !t.quoted && looksLikeID(t.value) {
		return Term{Field: ByID, Not: t.negated, Tests: []Test{{Op: Equal, Text: strings.ToLower(t.value)}}}, nil
	}
	return Term{Field: ByText, Not: t.negated, Tests: []Test{{Op: Contains, Text: t.value}}}, nil
}

func (t typedTerm) unknownFieldError() error {
	err := t.errorAt(fmt.Sprintf("the filter has an unknown field %q", t.field)).With("allowed", Fields())
	var names []string
	for _, f := range Fields() {
		names = append(names, string(f))
	}
	return t.withSuggestion(err, policy.NearestName(string(t.field), names))
}

// checkChoice returns an error if the value is not one of the choices. The error
// suggests a similar choice.
func (t typedTerm) checkChoice(choices []string) error {
	if slices.Contains(choices, t.value) {
		return nil
	}
	err := t.errorAt(fmt.Sprintf("%s cannot be %q", t.field, t.value)).With("allowed", choices)
	return t.withSuggestion(err, policy.NearestName(t.value, choices))
}

func (t typedTerm) withSuggestion(err *apperr.Error, nearest string) *apperr.Error {
	if nearest != "" {
		err = err.With("did_you_mean", nearest)
	}
	return err
}

// errorAt returns an error with the position of the term, in characters.
func (t typedTerm) errorAt(message string) *apperr.Error {
	err := newFilterError(message).With("position", utf8.RuneCountInString(t.filter[:t.start])).
		With("length", utf8.RuneCountInString(t.filter[t.start:t.end]))
	if t.named {
		err = err.With("field", t.field)
	}
	return err
}

func newFilterError(message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "filter")
}
