package anthropic

import (
	"github.com/signalbox/signalbox/services/proxy/internal/jsonscan"
)

// jsonWanted asks for what the format has no word for.
const jsonWanted = `"Answer with one JSON object and nothing else: no other text and no code fence."`

// format is what the client wants an answer to look like.
func (o *outbound) format() (kind string, schema []byte) {
	kind = word(member(o.in.format, "type"))
	wrapped := member(o.in.format, "json_schema")
	return kind, member(wrapped, "schema")
}

// askForJSON asks in words where the client wants JSON of any shape.
func (o *outbound) askForJSON() error {
	kind, schema := o.format()
	switch {
	case kind == "" || kind == "text" || kind == "json_schema" && isObject(schema):
		return nil
	case kind == "json_object" || kind == "json_schema":
		o.system = appendTextBlock(o.system, []byte(jsonWanted), nil)
		return nil
	}
	return unsupported("response_format", "it knows text, json_object and json_schema")
}

// outputConfig is the client's own, with the effort and the format that it
// asked for in our clients' words, nil if there is nothing in it.
func (o *outbound) outputConfig() ([]byte, error) {
	dst := []byte{'{'}
	var effort, format bool
	for name, v := range jsonscan.Members(o.in.outputConfig) {
		effort = effort || string(name) == "effort"
		format = format || string(name) == "format"
		dst = append(appendQuoted(dst, name), ':')
		dst = append(append(dst, v...), ',')
	}
	if !effort {
		dst = appendMember(dst, "effort", o.effort)
	}
	kind, schema := o.format()
	if kind == "json_schema" && isObject(schema) && !format {
		rewritten, err := rewriteSchema(schema, "response_format")
		if err != nil {
			return nil, err
		}
		dst = append(dst, `"format":{"type":"json_schema","schema":`...)
		dst = append(append(dst, rewritten...), "},"...)
	}
	if len(dst) == 1 {
		return nil, nil
	}
	return closed(dst, "}"), nil
}
