package record

import (
	"fmt"
	"strings"
)

// Field names the property that a filter term tests.
type Field string

// The filter fields.
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
	BySaved          Field = "saved"
	ByLatency        Field = "latency"
	ByTTFT           Field = "ttft"
	ByGateway        Field = "gateway"
	ByTokens         Field = "tokens" // all that went in or out
	ByHas            Field = "has"
	ByIs             Field = "is"
	ByID             Field = "id" // ours, from its beginning, or the client's own

	// ByText is free text: a term typed without a field name.
	ByText Field = "text"
)

// The values of ByHas and ByIs.
const (
	HasError   = "error"
	HasPrice   = "price"
	IsUnpriced = "unpriced"
)

// fieldSpec lists the values that a field accepts. Without choices and units it
// accepts any text.
type fieldSpec struct {
	field   Field
	choices []string
	units   []unit
}

// fieldSpecs returns all fields in the order in which error messages list them.
func fieldSpecs() []fieldSpec {
	return []fieldSpec{
		{field: ByModel},
		{field: ByRequestedModel},
		{field: ByProvider},
		{field: ByRoute, choices: []string{string(RouteExpected), string(RouteFallback), string(RoutePolicy), "*"}},
		{field: ByOutcome, choices: []string{
			string(OutcomeOK), string(OutcomeError), string(OutcomeRejected), string(OutcomeInterrupted), string(OutcomeClientClosed), string(OutcomeAborted),
		}},
		{field: ByKey},
		{field: ByStatus, units: countUnits},
		{field: ByCode},
		{field: ByStream, choices: []string{"true", "false"}},
		{field: ByCost, units: moneyUnits},
		{field: BySaved, units: moneyUnits},
		{field: ByLatency, units: durationUnits},
		{field: ByTTFT, units: durationUnits},
		{field: ByGateway, units: durationUnits},
		{field: ByTokens, units: countUnits},
		{field: ByHas, choices: []string{HasError, HasPrice}},
		{field: ByIs, choices: []string{IsUnpriced}},
		{field: ByID},
	}
}

// Fields returns all fields that a filter can name, in display order.
func Fields() []Field {
	var all []Field
	for _, s := range fieldSpecs() {
		all = append(all, s.field)
	}
	return all
}

func findFieldSpec(f Field) (fieldSpec, bool) {
	for _, s := range fieldSpecs() {
		if s.field == f {
			return s, true
		}
	}
	return fieldSpec{}, false
}

func (s fieldSpec) parseTest(w word) (Test, error) {
	switch {
	case s.units != nil:
		return s.parseNumberTest(w)
	case s.choices != nil:
		if err := w.checkChoice(s.choices); err != nil {
			return Test{}, err
		}
	}
	return s.parseTextTest(w)
}

func (s fieldSpec) parseTextTest(w word) (Test, error) {
	if w.quoted {
		return Test{Op: Equal, Text: w.value}, nil
	}
	begin, wild := strings.CutSuffix(w.value, "*")
	switch {
	case strings.Contains(begin, "*"):
		return Test{}, w.errorAt("a * is allowed only at the end of a value; put the value in quotes to match a literal *")
	case !wild:
		return Test{Op: Equal, Text: w.value}, nil
	case begin == "" && s.field == ByID:
		return Test{}, w.errorAt("id:* matches every request; enter the start of an ID")
	case begin == "":
		return Test{Op: Any}, nil
	}
	return Test{Op: Prefix, Text: begin}, nil
}

func (s fieldSpec) parseNumberTest(w word) (Test, error) {
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
		return Test{}, w.errorAt(fmt.Sprintf("%s needs a number such as %s", s.field, s.units[0].example)).
			With("units", unitNames(s.units))
	case s.field == ByStatus && (test.Number < 0 || test.Number > 599):
		return Test{}, w.errorAt("a status must be between 0 and 599")
	}
	return test, nil
}

// looksLikeID reports whether a word is a UUID without dashes, or the start of a
// UUID that includes at least the first dash.
func looksLikeID(word string) bool {
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
