package anthropic

import (
	"bytes"
	"slices"
)

// member writes what becomes of one member of a schema.
func (w *rewriter) member(o *object, name string) {
	switch name {
	case "description":
		if v := w.in.Value(); isText(v) {
			w.write(name, v)
			o.described = len(w.out) - len(`",`)
		}
	case "type":
		v := w.in.Value()
		o.typed = true
		o.isObject = bytes.Contains(v, []byte(`"object"`))
		w.write(name, v)
	case "properties":
		o.isObject, o.listed = o.isObject || !o.typed, true
		w.schemas(name)
	case "$defs", "definitions":
		w.schemas(name)
	case "items":
		w.named(name, w.schema)
	case "additionalProperties":
		w.additional(o)
	case "patternProperties":
		w.in.Value()
		w.refuseMap()
	case "anyOf", "oneOf":
		w.branches(o, name)
	case "allOf":
		w.named(name, w.list)
	case "$schema", "$id", "$comment":
		w.in.Value()
	case "minItems", "format":
		w.bound(o, name, w.in.Value())
	default:
		w.other(o, name, w.in.Value())
	}
}

// known are members that say the same to the format.
var known = []string{"$ref", "title", "enum", "const", "default", "required"}

func (w *rewriter) other(o *object, name string, v []byte) {
	if slices.Contains(known, name) {
		w.write(name, v)
		return
	}
	o.tell(name, v)
}

// bound keeps the few that are taken.
func (w *rewriter) bound(o *object, name string, v []byte) {
	kept := false
	switch name {
	case "minItems":
		kept = string(v) == "0" || string(v) == "1"
	case "format":
		kept = slices.Contains(formats, word(v))
	}
	if kept {
		w.write(name, v)
	} else {
		o.tell(name, v)
	}
}

var formats = []string{
	"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid",
}

// additional closes an object that the client has closed itself.
func (w *rewriter) additional(o *object) {
	if string(w.in.Value()) != "false" {
		w.refuseMap()
	}
	o.closed = true
	w.write("additionalProperties", []byte("false"))
}

// refuseMap ends the rewriting: nobody could fill a map if it were closed.
func (w *rewriter) refuseMap() {
	w.in.Fail(unsupported(w.param, "its schema has an object with members of any name"))
}

// branches writes the alternatives; of two lists the second is told only.
func (w *rewriter) branches(o *object, name string) {
	if o.branched {
		o.tell(name, w.in.Value())
		return
	}
	o.branched = true
	w.named("anyOf", w.list)
}
