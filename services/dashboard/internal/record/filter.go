package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/signalbox/signalbox/pkg/apperr"
)

// Field is what a term of a filter tests.
type Field string

// The fields.
const (
	ByModel          Field = "model"
	ByRequestedModel Field = "requested_model"
	ByProvider       Field = "provider"
	ByRoute          Field = "route"
	ByOutcome        Field = "outcome"
	ByKey            Field = "key" // id or name
	ByStatus         Field = "status"
	ByCode           Field = "code"
	ByStream         Field = "stream"
)

// Fields is every field, in the order in which people are told of them.
func Fields() []Field {
	return []Field{ByModel, ByRequestedModel, ByProvider, ByRoute, ByOutcome, ByKey, ByStatus, ByCode, ByStream}
}

// Term holds for a record whose field has one of the values.
type Term struct {
	Field  Field
	Values []string
}

// maxFilter bounds a filter's text, and with it the size of a query.
const maxFilter = 400

// ParseFilter reads terms of the form field:value, set apart by spaces. A
// value with spaces stands in double quotes. Terms of one field are
// alternatives, terms of different fields must all hold. What cannot be
// understood is INVALID_REQUEST, never ignored.
func ParseFilter(text string) ([]Term, error) {
	if len(text) > maxFilter {
		return nil, refuse(fmt.Sprintf("the filter is longer than %d bytes", maxFilter))
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return nil, refuse("the filter has characters that cannot be typed")
	}
	var terms []Term
	for rest := strings.TrimLeft(text, " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		field, value, tail, err := nextTerm(rest)
		if err != nil {
			return nil, err
		}
		if err := check(field, value); err != nil {
			return nil, err
		}
		terms, rest = addTerm(terms, field, value), tail
	}
	return terms, nil
}

func nextTerm(text string) (Field, string, string, error) {
	word, _, _ := strings.Cut(text, " ")
	field, _, ok := strings.Cut(word, ":")
	if !ok {
		return "", "", "", refuse(fmt.Sprintf("%q is not of the form field:value", word)).With("allowed", Fields())
	}
	value := text[len(field)+1:]
	if !strings.HasPrefix(value, `"`) {
		value, tail, _ := strings.Cut(value, " ")
		return Field(field), value, tail, nil
	}
	value, tail, ok := strings.Cut(value[1:], `"`)
	if !ok || tail != "" && tail[0] != ' ' {
		return "", "", "", refuse("a quoted value is not closed").With("field", field)
	}
	return Field(field), value, tail, nil
}

func addTerm(terms []Term, field Field, value string) []Term {
	for i := range terms {
		if terms[i].Field == field {
			terms[i].Values = append(terms[i].Values, value)
			return terms
		}
	}
	return append(terms, Term{Field: field, Values: []string{value}})
}

func check(field Field, value string) error {
	if !slices.Contains(Fields(), field) {
		return refuse(fmt.Sprintf("the filter has an unknown field %q", field)).
			With("field", field).With("allowed", Fields())
	}
	if value == "" {
		return refuse(fmt.Sprintf("the filter names no value for %s", field)).With("field", field)
	}
	if field == ByStatus {
		if n, err := strconv.Atoi(value); err != nil || n < 0 || n > 599 {
			return refuse("a status is a number such as 200").With("field", field)
		}
	}
	if words := choices(field); words != nil && !slices.Contains(words, value) {
		return refuse(fmt.Sprintf("%s cannot be %q", field, value)).With("field", field).With("allowed", words)
	}
	return nil
}

// choices are the values of a field that has only a few; nil for any other.
func choices(field Field) []string {
	switch field {
	case ByRoute:
		return []string{string(Expected), string(Fallback), string(Policy)}
	case ByOutcome:
		return []string{string(OK), string(Failed), string(Rejected), string(Interrupted), string(ClientClosed), string(Aborted)}
	case ByStream:
		return []string{"true", "false"}
	}
	return nil
}

func refuse(message string) *apperr.Error {
	return apperr.New(apperr.InvalidRequest, message).With("param", "filter")
}
