package record

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
	"github.com/signalbox/signalbox/pkg/policy"
)

// word is one term as it was typed.
type word struct {
	filter     string
	start, end int // bytes of the filter
	not        bool
	named      bool // has a field
	field      Field
	value      string
	quoted     bool
}

// nextWord finds the word at or after a place; at the end of the filter there
// is none, and it ends where the search began.
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
	rest, w.not = strings.CutPrefix(rest, "-")
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
			return w, w.refuse("a quoted value is not closed")
		}
		return w, nil
	}
	w.value, _, _ = strings.Cut(rest, " ")
	w.end = len(filter) - len(rest) + len(w.value)
	return w, nil
}

func (w word) term() (Term, error) {
	if !w.named {
		return w.freeText()
	}
	spec, ok := fieldSpec(w.field)
	if !ok {
		return Term{}, w.unknownField()
	}
	if w.value == "" {
		return Term{}, w.refuse(fmt.Sprintf("the filter names no value for %s", w.field))
	}
	test, err := spec.test(w)
	return Term{Field: w.field, Not: w.not, Tests: []Test{test}}, err
}

// freeText is what is searched for everywhere. A word that reads like an id of
// ours is taken for one, which is found at once however old it is.
func (w word) freeText() (Term, error) {
	if w.value == "" {
		return Term{}, w.refuse("there is nothing to search for")
	}
	if !w.quoted && readsLikeID(w.value) {
		return Term{Field: ByID, Not: w.not, Tests: []Test{{Op: Equal, Text: strings.ToLower(w.value)}}}, nil
	}
	return Term{Field: ByText, Not: w.not, Tests: []Test{{Op: Contain, Text: w.value}}}, nil
}

func (w word) unknownField() error {
	err := w.refuse(fmt.Sprintf("the filter has an unknown field %q", w.field)).With("allowed", Fields())
	var names []string
	for _, f := range Fields() {
		names = append(names, string(f))
	}
	return w.meant(err, policy.Nearest(string(w.field), names))
}

// oneOf refuses a value that is not among the few there are.
func (w word) oneOf(choices []string) error {
	if slices.Contains(choices, w.value) {
		return nil
	}
	err := w.refuse(fmt.Sprintf("%s cannot be %q", w.field, w.value)).With("allowed", choices)
	return w.meant(err, policy.Nearest(w.value, choices))
}

func (w word) meant(err *apperr.Error, nearest string) *apperr.Error {
	if nearest != "" {
		err = err.With("did_you_mean", nearest)
	}
	return err
}

// refuse says where the word is, counted in characters.
func (w word) refuse(message string) *apperr.Error {
	err := refuse(message).With("position", utf8.RuneCountInString(w.filter[:w.start])).
		With("length", utf8.RuneCountInString(w.filter[w.start:w.end]))
	if w.named {
		err = err.With("field", w.field)
	}
	return err
}

func refuse(message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "filter")
}
