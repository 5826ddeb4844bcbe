package anthropic

import (
	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// jsonInstruction is added to the system prompt if the client requests JSON without a schema,
// because the Anthropic API has no JSON mode.
const jsonInstruction = `"Answer with one JSON object and nothing else: no other text and no code fence."`

func (o *requestTranslator) parseResponseFormat() (kind string, schema []byte) {
	kind = stringValue(jsonscan.Member(o.fields.responseFormat, "type"))
	wrapped := jsonscan.Member(o.fields.responseFormat, "json_schema")
	return kind, jsonscan.Member(wrapped, "schema")
}

// addJSONInstruction adds jsonInstruction if the client requests JSON without a schema. It
// rejects unknown types of response_format.
func (o *requestTranslator) addJSONInstruction() error {
	kind, schema := o.parseResponseFormat()
	switch {
	case kind == "" || kind == "text" || kind == "json_schema" && isObject(schema):
		return nil
	case kind == "json_object" || kind == "json_schema":
		o.system = appendTextBlock(o.system, []byte(jsonInstruction), nil)
		return nil
	}
	return unsupportedError("response_format", `the type must be "text", "json_object" or "json_schema"`)
}

// buildOutputConfig returns the client's output_config. It adds the requested effort and
// response format unless output_config already contains them. It returns nil if the result
// is empty.
func (o *requestTranslator) buildOutputConfig() ([]byte, error) {
	dst := []byte{'{'}
	var effort, format bool
	for name, v := range jsonscan.Members(o.fields.outputConfig) {
		effort = effort || string(name) == "effort"
		format = format || string(name) == "format"
		dst = append(jsonscan.AppendQuoted(dst, name), ':')
		dst = append(append(dst, v...), ',')
	}
	if !effort {
		dst = appendMember(dst, "effort", o.effort)
	}
	kind, schema := o.parseResponseFormat()
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
	return closeWith(dst, "}"), nil
}
