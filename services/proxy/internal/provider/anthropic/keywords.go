package anthropic

import (
	"bytes"
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (w *schemaRewriter) writeKeyword(o *schemaState, name string) {
	switch name {
	case "description":
		if v := w.in.Value(); jsonscan.IsString(v) {
			w.writeMember(name, v)
			o.descriptionEnd = len(w.out) - len(`",`)
		}
	case "type":
		v := w.in.Value()
		o.hasType = true
		o.isObject = bytes.Contains(v, []byte(`"object"`))
		w.writeMember(name, v)
	case "properties":
		o.isObject, o.hasProperties = o.isObject || !o.hasType, true
		w.writeSchemaMap(name)
	case "$defs", "definitions":
		w.writeSchemaMap(name)
	case "items":
		w.writeNamed(name, w.writeSchema)
	case "additionalProperties":
		w.writeAdditionalProperties(o)
	case "patternProperties":
		w.in.Value()
		w.rejectMap()
	case "anyOf", "oneOf":
		w.writeAlternatives(o, name)
	case "allOf":
		w.writeNamed(name, w.writeSchemaList)
	case "$schema", "$id", "$comment":
		w.in.Value()
	case "minItems", "format":
		w.writeIfSupported(o, name, w.in.Value())
	default:
		w.writeOtherKeyword(o, name, w.in.Value())
	}
}

// sharedKeywords lists keywords that are copied unchanged.
var sharedKeywords = []string{"$ref", "title", "enum", "const", "default", "required"}

func (w *schemaRewriter) writeOtherKeyword(o *schemaState, name string, v []byte) {
	if slices.Contains(sharedKeywords, name) {
		w.writeMember(name, v)
		return
	}
	o.addHint(name, v)
}

// writeIfSupported copies minItems or format if the Anthropic API supports the value.
// Otherwise it turns the keyword into a hint: a text in the description.
func (w *schemaRewriter) writeIfSupported(o *schemaState, name string, v []byte) {
	supported := false
	switch name {
	case "minItems":
		supported = string(v) == "0" || string(v) == "1"
	case "format":
		supported = slices.Contains(supportedFormats, stringValue(v))
	}
	if supported {
		w.writeMember(name, v)
	} else {
		o.addHint(name, v)
	}
}

var supportedFormats = []string{
	"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
}

// writeAdditionalProperties accepts only the value false. This value closes the object: the
// object cannot have other members.
func (w *schemaRewriter) writeAdditionalProperties(o *schemaState) {
	if string(w.in.Value()) != "false" {
		w.rejectMap()
	}
	o.isClosed = true
	w.writeMember("additionalProperties", []byte("false"))
}

// rejectMap ends the rewriting with an error. A map is an object with arbitrary member
// names. The Anthropic API requires that a schema lists all members of an object.
func (w *schemaRewriter) rejectMap() {
	w.in.SetError(unsupportedError(w.param, "its schema has an object with arbitrary member names"))
}

// writeAlternatives writes anyOf or oneOf as anyOf. If a schema has both, the second one
// becomes a hint.
func (w *schemaRewriter) writeAlternatives(o *schemaState, name string) {
	if o.hasAlternatives {
		o.addHint(name, w.in.Value())
		return
	}
	o.hasAlternatives = true
	w.writeNamed("anyOf", w.writeSchemaList)
}
