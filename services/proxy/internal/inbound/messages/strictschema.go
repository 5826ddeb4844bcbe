package messages

import "github.com/signalbox/signalbox/pkg/jsonscan"

// isStrictSchema reports whether every object of a schema is closed and requires all of its
// properties. OpenAI enforces only such schemas, and rejects others that claim to be strict.
func isStrictSchema(schema []byte) bool {
	var s strictChecker
	s.in.Reset(schema, true)
	return s.readSchema()
}

// strictChecker reads every byte of a schema once, however deep the schema is nested.
type strictChecker struct{ in jsonscan.Reader }

// readSchema reads a schema, or a list of schemas.
func (s *strictChecker) readSchema() bool {
	isStrict := true
	switch {
	case s.in.Enter(jsonscan.BeginArray):
		for s.in.NextElement() {
			isStrict = s.readSchema() && isStrict
		}
	case s.in.Enter(jsonscan.BeginObject):
		isStrict = s.readMembers()
	default:
		s.in.Value()
	}
	return isStrict
}

func (s *strictChecker) readMembers() bool {
	isStrict, isObject, isClosed := true, false, false
	properties, required := 0, 0
	for s.in.NextMember() {
		switch string(s.in.Name()) {
		case "type":
			isObject = isObject || stringValue(s.in.Value()) == "object"
		case "properties":
			isObject = true
			properties = s.readSchemas(&isStrict)
		case "$defs":
			s.readSchemas(&isStrict)
		case "items", "anyOf":
			isStrict = s.readSchema() && isStrict
		case "required":
			required = countElements(s.in.Value())
		case "additionalProperties":
			isClosed = string(s.in.Value()) == "false"
		default:
			s.in.Value()
		}
	}
	return isStrict && (isClosed || !isObject) && properties == required
}

// readSchemas reads an object of named schemas and returns their number.
func (s *strictChecker) readSchemas(isStrict *bool) (count int) {
	if !enters(&s.in, jsonscan.BeginObject) {
		return 0
	}
	for ; s.in.NextMember(); count++ {
		*isStrict = s.readSchema() && *isStrict
	}
	return count
}
