package record

import (
	"fmt"
	"strings"
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
	ByCost           Field = "cost"
	ByKept           Field = "kept"
	ByLatency        Field = "latency"
	ByTTFT           Field = "ttft"
	ByGateway        Field = "gateway"
	ByTokens         Field = "tokens" // all that went in or out
	ByHas            Field = "has"
	ByIs             Field = "is"
	ByID             Field = "id" // ours, from its beginning, or the client's own

	// ByText is free text, which is typed without a field.
	ByText Field = "text"
)

// What a record may have or be, besides what its fields say.
const (
	HasError   = "error"
	HasPrice   = "price"
	IsUnpriced = "unpriced"
)

// spec says what values a field takes.
type spec struct {
	field   Field
	choices []string
	units   []unit
}

// specs is every field, in the order in which people are told of them.
func specs() []spec {
	return []spec{
		{field: ByModel},
		{field: ByRequestedModel},
		{field: ByProvider},
		{field: ByRoute, choices: []string{string(Expected), string(Fallback), string(Policy), "*"}},
		{field: ByOutcome, choices: []string{
			string(OK), string(Failed), string(Rejected), string(Interrupted), string(ClientClosed), string(Aborted),
		}},
		{field: ByKey},
		{field: ByStatus, units: counts},
		{field: ByCode},
		{field: ByStream, choices: []string{"true", "false"}},
		{field: ByCost, units: amounts},
		{field: ByKept, units: amounts},
		{field: ByLatency, units: spans},
		{field: ByTTFT, units: spans},
		{field: ByGateway, units: spans},
		{field: ByTokens, units: counts},
		{field: ByHas, choices: []string{HasError, HasPrice}},
		{field: ByIs, choices: []string{IsUnpriced}},
		{field: ByID},
	}
}

// Fields is every field that can be named, in the order in which people are
// told of them.
func Fields() []Field {
	var all []Field
	for _, s := range specs() {
		all = append(all, s.field)
	}
	return all
}

func fieldSpec(f Field) (spec, bool) {
	for _, s := range specs() {
		if s.field == f {
			return s, true
		}
	}
	return spec{}, false
}

func (s spec) test(w word) (Test, error) {
	switch {
	case s.units != nil:
		return s.number(w)
	case s.choices != nil:
		if err := w.oneOf(s.choices); err != nil {
			return Test{}, err
		}
	}
	return s.text(w)
}

func (s spec) text(w word) (Test, error) {
	if w.quoted {
		return Test{Op: Equal, Text: w.value}, nil
	}
	begin, wild := strings.CutSuffix(w.value, "*")
	switch {
	case strings.Contains(begin, "*"):
		return Test{}, w.refuse("a * stands at the end of a value, or in quotes")
	case !wild:
		return Test{Op: Equal, Text: w.value}, nil
	case begin == "" && s.field == ByID:
		return Test{}, w.refuse("every request has an id")
	case begin == "":
		return Test{Op: Any}, nil
	}
	return Test{Op: Prefix, Text: begin}, nil
}

func (s spec) number(w word) (Test, error) {
	test, digits := Test{Op: Equal}, w.value
	for _, op := range []Op{AtMost, AtLeast, Less, More, Equal} {
		if rest, ok := strings.CutPrefix(digits, string(op)); ok {
			test.Op, digits = op, rest
			break
		}
	}
	var ok bool
	test.Number, ok = parseNumber(digits, s.units)
	switch {
	case !ok:
		return Test{}, w.refuse(fmt.Sprintf("%s is a number such as %s", s.field, s.units[0].example)).
			With("units", unitNames(s.units))
	case s.field == ByStatus && (test.Number < 0 || test.Number > 599):
		return Test{}, w.refuse("a status is a number from 0 to 599")
	}
	return test, nil
}

// readsLikeID reports whether a word is the beginning of a UUID, with its first
// dash at least, or a whole one without any.
func readsLikeID(word string) bool {
	if len(word) > 36 || strings.Trim(word, "0123456789abcdefABCDEF-") != "" {
		return false
	}
	if !strings.Contains(word, "-") {
		return len(word) == 32
	}
	for i := range len(word) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (word[i] == '-') {
			return false
		}
	}
	return true
}
