package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// word is one term of a filter as it was typed.
type word struct {
	filter     string
	start, end int // bytes of the filter
	negated    bool
	named      bool // has a field
	field      Field
	value      string
	quoted     bool
}

// nextWord returns the word at or after an offset. At the end of the filter the
// word is empty and its end equals from.
func nextWord(filter string, from int) (word, error) {
	w := word{filter: filter, start: from}
	for w.start < len(filter) && filter[w.start] == ' ' {
		w.start++
	}
	if w.start == len(filter) {
		w.end = from
		return w, nil
	}
	rest := filter[w.start:]
	rest, w.negated = strings.CutPrefix(rest, "-")
	if plain, _, _ := strings.Cut(rest, " "); !strings.HasPrefix(plain, `"`) {
		var name string
		if name, _, w.named = strings.Cut(plain, ":"); w.named {
			w.field, rest = Field(name), rest[len(name)+1:]
		}
	}
	tail := ""
	if value, ok := strings.CutPrefix(rest, `"`); ok {
		w.quoted = true
		var closed bool
		w.value, tail, closed = strings.Cut(value, `"`)
		if w.end = len(filter) - len(tail); !closed || tail != "" && tail[0] != ' ' {
			return w, w.errorAt("a quoted value is not closed; add a double quote")
		}
		return w, nil
	}
	w.value, _, _ = strings.Cut(rest, " ")
	w.end = len(filter) - len(rest) + len(w.value)
	return w, nil
}

func (w word) parseTerm() (Term, error) {
	if !w.named {
		return w.parseFreeText()
	}
	spec, ok := findFieldSpec(w.field)
	if !ok {
		return Term{}, w.unknownFieldError()
	}
	if w.value == "" {
		return Term{}, w.errorAt(fmt.Sprintf("the filter has no value for %s", w.field))
	}
	test, err := spec.parseTest(w)
	return Term{Field: w.field, Not: w.negated, Tests: []Test{test}}, err
}

// parseFreeText returns a free-text term. A word that looks like one of our ids
// becomes an id search, which an index answers at once.
func (w word) parseFreeText() (Term, error) {
	if w.value == "" {
		return Term{}, w.errorAt("the filter has an empty search term")
	}
	if !w.quoted && looksLikeID(w.value) {
		return Term{Field: ByID, Not: w.negated, Tests: []Test{{Op: Equal, Text: strings.ToLower(w.value)}}}, nil
	}
	return Term{Field: ByText, Not: w.negated, Tests: []Test{{Op: Contains, Text: w.value}}}, nil
}

func (w word) unknownFieldError() error {
	err := w.errorAt(fmt.Sprintf("the filter has an unknown field %q", w.field)).With("allowed", Fields())
	var names []string
	for _, f := range Fields() {
		names = append(names, string(f))
	}
	return w.withSuggestion(err, policy.NearestName(string(w.field), names))
}

// checkChoice returns an error unless the value is one of the choices.
func (w word) checkChoice(choices []string) error {
	if slices.Contains(choices, w.value) {
		return nil
	}
	err := w.errorAt(fmt.Sprintf("%s cannot be %q", w.field, w.value)).With("allowed", choices)
	return w.withSuggestion(err, policy.NearestName(w.value, choices))
}

func (w word) withSuggestion(err *apperr.Error, nearest string) *apperr.Error {
	if nearest != "" {
		err = err.With("did_you_mean", nearest)
	}
	return err
}

// errorAt returns an error with the position of the word, in characters.
func (w word) errorAt(message string) *apperr.Error {
	err := newFilterError(message).With("position", utf8.RuneCountInString(w.filter[:w.start])).
		With("length", utf8.RuneCountInString(w.filter[w.start:w.end]))
	if w.named {
		err = err.With("field", w.field)
	}
	return err
}

func newFilterError(message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "filter")
}
