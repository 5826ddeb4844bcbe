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
	ByKey            Field = "key" // the key's id or name
	ByStatus         Field = "status"
	ByCode           Field = "code"
	ByProtocol       Field = "protocol"
	ByAgent          Field = "agent" // the client program
	BySession        Field = "session"
	ByUser           Field = "user" // the end user
	ByTag            Field = "tag"  // a tag of the key
	ByRule           Field = "rule" // the policy rule that decided
	ByEndpoint       Field = "endpoint"
	ByStream         Field = "stream"
	ByCost           Field = "cost"
	BySaved          Field = "saved"
	ByLatency        Field = "latency"
	ByTTFT           Field = "ttft"
	ByGateway        Field = "gateway"
	ByTokens         Field = "tokens" // input and output tokens, cached input included
	ByHas            Field = "has"
	ByIs             Field = "is"
	ByID             Field = "id" // the record's id or its start, or the client's request id

	// ByMetadata is the form of the fields of request metadata. NAME is any name.
	ByMetadata Field = "meta.NAME"

	// ByText is free text: a term typed without a field name.
	ByText Field = "text"
)

const metadataPrefix = "meta."

// MetadataName returns the name of the metadata that a field tests. ok is false for
// other fields.
func (f Field) MetadataName() (name string, ok bool) {
	name, ok = strings.CutPrefix(string(f), metadataPrefix)
	return name, ok && name != ""
}

// The values of ByHas and ByIs.
const (
	HasError   = "error"
	HasPrice   = "price"
	IsUnpriced = "unpriced"
)

// fieldSpec describes the values that a field accepts. Without choices and
// units it accepts any string.
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
		{field: ByProtocol, choices: []string{string(ProtocolChat), string(ProtocolMessages), string(ProtocolResponses), string(ProtocolGemini)}},
		{field: ByAgent},
		{field: BySession},
		{field: ByUser},
		{field: ByTag},
		{field: ByRule},
		{field: ByEndpoint},
		{field: ByMetadata},
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
	_, ok := f.MetadataName()
	return fieldSpec{field: f}, ok
}

func (s fieldSpec) parseTest(t typedTerm) (Test, error) {
	switch {
	case s.units != nil:
		return s.parseNumberTest(t)
	case s.choices != nil:
		if err := t.checkChoice(s.choices); err != nil {
			return Test{}, err
		}
	}
	return s.parseTextTest(t)
}

func (s fieldSpec) parseTextTest(t typedTerm) (Test, error) {
	if t.quoted {
		return Test{Op: Equal, Text: t.value}, nil
	}
	begin, wild := strings.CutSuffix(t.value, "*")
	switch {
	case strings.Contains(begin, "*"):
		return Test{}, t.errorAt("a * is allowed only at the end of a value; put the value in quotes to match a literal *")
	case !wild:
		return Test{Op: Equal, Text: t.value}, nil
	case begin == "" && s.field == ByID:
		return Test{}, t.errorAt("id:* matches every request; enter the start of an ID")
	case begin == "":
		return Test{Op: Any}, nil
	}
	return Test{Op: Prefix, Text: begin}, nil
}

func (s fieldSpec) parseNumberTest(t typedTerm) (Test, error) {
	test, digits := Test{Op: Equal}, t.value
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
		return Test{}, t.errorAt(fmt.Sprintf("%s needs a number such as %s", s.field, s.units[0].example)).
			With("units", unitNames(s.units))
	case s.field == ByStatus && (test.Number < 0 || test.Number > 599):
		return Test{}, t.errorAt("a status must be between 0 and 599")
	}
	return test, nil
}

// looksLikeID reports whether a text is a UUID without dashes, or the start of
// a UUID that includes at least the first dash.
func looksLikeID(text string) bool {
	if len(text) > 36 || strings.Trim(text, "0123456789abcdefABCDEF-") != "" {
		return false
	}
	if !strings.Contains(text, "-") {
		return len(text) == 32
	}
	for i := range len(text) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (text[i] == '-') {
			return false
		}
	}
	return true
}
