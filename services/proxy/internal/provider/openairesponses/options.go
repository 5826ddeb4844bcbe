package openairesponses

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

const (
	reasoningField = "reasoning_effort"
	// summaryPath is the path that a policy can drop: OpenAI lets only verified organizations
	// request summaries of some models.
	summaryPath = "reasoning.summary"
	effortNone  = "none"
	// minOutputTokens is the smallest limit that the Responses API accepts.
	minOutputTokens = 16
)

// appendTextOptions appends the member "text": the format and the verbosity.
func (t *requestTranslator) appendTextOptions(dst []byte) ([]byte, error) {
	format, err := t.buildFormat()
	if err != nil {
		return nil, err
	}
	text := appendMember([]byte{'{'}, "format", format)
	text = appendMember(text, "verbosity", t.fields.verbosity)
	if len(text) == 1 {
		return dst, nil
	}
	return appendMember(dst, "text", closeWith(text, "}")), nil
}

// buildFormat returns response_format without its nested object. It returns nil for plain text.
func (t *requestTranslator) buildFormat() ([]byte, error) {
	var kind, schema []byte
	readObject(t.fields.responseFormat, t.dropBelow("response_format."), field{"type", &kind}, field{"json_schema", &schema})
	switch stringValue(kind) {
	case "", "text":
		return nil, nil
	case "json_object":
		return []byte(`{"type":"json_object"}`), nil
	case "json_schema":
		return t.buildSchemaFormat(schema), nil
	}
	return nil, unsupportedError("response_format", `the type must be "text", "json_object" or "json_schema"`)
}

func (t *requestTranslator) buildSchemaFormat(object []byte) []byte {
	var name, description, schema, strict []byte
	readObject(object, t.dropBelow("response_format.json_schema."), field{"name", &name},
		field{"description", &description}, field{"schema", &schema}, field{"strict", &strict})
	if !hasText(name) {
		name = []byte(`"response"`)
	}
	dst := appendMember([]byte(`{"type":"json_schema",`), "name", name)
	dst = appendMember(dst, "description", description)
	dst = appendMember(dst, "schema", schema)
	return closeWith(appendMember(dst, "strict", strict), "}")
}

// canReason reports whether the model may reason. Models that do not reason reject the options
// for it.
func (t *requestTranslator) canReason() bool {
	return !slices.Contains(t.wire.Reject, reasoningField) && !slices.Contains(t.wire.Drop, reasoningField)
}

// appendReasoningOptions appends the effort. A request with an effort also asks for a summary of
// the reasoning, because the model shows none otherwise.
func (t *requestTranslator) appendReasoningOptions(dst []byte) ([]byte, error) {
	effort, summary, err := t.readReasoning()
	if err != nil {
		return nil, err
	}
	if summary == nil && hasText(effort) && stringValue(effort) != effortNone {
		summary = []byte(`"auto"`)
	}
	if slices.Contains(t.wire.Drop, summaryPath) {
		summary = nil
	}
	options := appendMember(appendMember([]byte{'{'}, "effort", effort), "summary", summary)
	if len(options) == 1 {
		return dst, nil
	}
	return appendMember(dst, "reasoning", closeWith(options, "}")), nil
}

// readReasoning returns the effort from reasoning_effort or reasoning.effort, and the kind of
// summary that the client requests.
func (t *requestTranslator) readReasoning() (effort, summary []byte, err error) {
	readObject(t.fields.reasoning, t.dropBelow("reasoning."), field{"effort", &effort}, field{"summary", &summary})
	switch {
	case t.fields.reasoningEffort != nil:
		return t.fields.reasoningEffort, summary, nil
	case t.canReason():
		return t.adaptValue(reasoningField, effort), summary, nil
	case effort != nil && slices.Contains(t.wire.Reject, reasoningField):
		return nil, nil, unsupportedError("reasoning", "the model does not accept it")
	case !isEmpty(t.fields.reasoning):
		t.reportDropped("reasoning")
	}
	return nil, nil, nil
}

// listIncludes returns what the response must contain in addition. Each element has a trailing
// comma.
func (t *requestTranslator) listIncludes() (list []byte) {
	if t.canReason() {
		list = append(list, `"reasoning.encrypted_content",`...)
	}
	if t.wantsLogprobs() {
		list = append(list, `"message.output_text.logprobs",`...)
	}
	return list
}

func (t *requestTranslator) wantsLogprobs() bool { return string(t.fields.logprobs) == "true" }

// appendMaxTokens appends the limit of output tokens, raised to the smallest limit that the API
// accepts. If the client sent two limits, it appends the smaller one.
func (t *requestTranslator) appendMaxTokens(dst []byte) []byte {
	limit := int64(0)
	for _, f := range []struct {
		name  string
		value []byte
	}{{"max_tokens", t.fields.maxTokens}, {"max_completion_tokens", t.fields.maxCompletionTokens}} {
		n, ok := jsonscan.ParseInteger(f.value)
		if !ok || n <= 0 {
			continue
		}
		if n < minOutputTokens {
			t.reportDropped(f.name)
			n = minOutputTokens
		}
		if limit == 0 || n < limit {
			limit = n
		}
	}
	if limit == 0 {
		return dst
	}
	return appendNumber(dst, "max_output_tokens", limit)
}
