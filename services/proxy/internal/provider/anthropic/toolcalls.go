package anthropic

import (
	"slices"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

// emptyInput is the input of a tool call without arguments.
const emptyInput = "{}"

// knownCallMembers lists the members of a tool call that are translated or not needed.
var knownCallMembers = []string{"id", "index", "type", "function"}

func (o *requestTranslator) addToolCalls(m *message) error {
	for call := range jsonscan.Elements(m.toolCalls) {
		if err := o.addToolCall(m, call); err != nil {
			return err
		}
	}
	return nil
}

func (o *requestTranslator) addToolCall(m *message, raw []byte) error {
	function := jsonscan.Member(raw, "function")
	if !isObject(function) {
		return m.unsupportedError("tool_calls", "it supports function calls only")
	}
	for name, v := range jsonscan.Members(raw) {
		if !slices.Contains(knownCallMembers, string(name)) && !isEmpty(v) {
			o.reportDropped("messages[].tool_calls[]." + string(name))
		}
	}
	name := o.names.toUpstream(jsonscan.Member(function, "name"))
	arguments := jsonscan.Member(function, "arguments")
	b := append(o.scratch[:0], `{"type":"tool_use",`...)
	b = appendMember(b, "id", toUpstreamID(jsonscan.Member(raw, "id")))
	b = appendMember(b, "name", name)
	b = appendMember(b, "input", parseToolInput(arguments))
	o.scratch = closeWith(b, "},")
	o.turns.appendToolCall(o.scratch)
	o.recordCalledTool(name)
	return nil
}

// parseToolInput returns the arguments of a tool call as an object. Models sometimes write
// arguments that are not a valid object. These become an empty object.
func parseToolInput(arguments []byte) []byte {
	v := arguments
	if jsonscan.IsString(v) {
		v = jsonscan.DecodeString(v)
	}
	var r jsonscan.Reader
	r.Reset(v, false)
	if r.PeekKind() != jsonscan.BeginObject {
		return []byte(emptyInput)
	}
	object := r.Value()
	if r.CheckEnd() != nil {
		return []byte(emptyInput)
	}
	return object
}

// recordCalledTool records a tool that the conversation called, because the Anthropic API
// requires its definition.
func (o *requestTranslator) recordCalledTool(name []byte) {
	for _, known := range o.calledTools {
		if string(known) == string(name) {
			return
		}
	}
	o.calledTools = append(o.calledTools, name)
}

// addToolResult adds the result of a tool call to the user's turn.
func (o *requestTranslator) addToolResult(m *message) error {
	b := append([]byte(nil), `{"type":"tool_result",`...)
	b = appendMember(b, "tool_use_id", toUpstreamID(m.callID))
	if jsonscan.IsString(m.content) {
		if !isBlank(m.content) {
			b = appendMember(b, "content", m.content)
		}
	} else if isArray(m.content) {
		parts, err := o.buildResultContent(m)
		if err != nil {
			return err
		}
		b = appendMember(b, "content", parts)
	}
	if isTrue(m.isError) {
		b = append(b, `"is_error":true,`...)
	}
	b = appendMember(b, "cache_control", m.cache)
	o.turns.insertToolResult(closeWith(b, "},"))
	return nil
}

// buildResultContent returns the content of a tool result that consists of parts. It
// returns nil if all parts are blank.
func (o *requestTranslator) buildResultContent(m *message) ([]byte, error) {
	out := []byte{'['}
	plain := *m
	plain.cache = nil
	err := o.eachPart(&plain, func(p *contentPart) (err error) {
		switch {
		case !p.isText():
			out, err = o.appendMediaBlock(out, p)
		case !isBlank(p.text):
			out = appendTextBlock(out, p.text, p.cache)
		}
		return err
	})
	if err != nil || len(out) == 1 {
		return nil, err
	}
	return closeWith(out, "]"), nil
}
