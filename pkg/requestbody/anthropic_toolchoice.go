package requestbody

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/signalbox/signalbox/pkg/jsonscan"
)

func (p *parser) readAnthropicToolChoice() {
	if p.skipNull() {
		return
	}
	if !p.Enter(jsonscan.BeginObject) {
		p.SetError(errInvalidParam("tool_choice", "must be an object"))
	}
	s := &p.anthropic
	for p.NextMember() {
		switch string(p.Name()) {
		case "type":
			s.choiceKind = p.readPlain()
		case "name":
			s.choiceName = p.Value()
		case "disable_parallel_tool_use":
			p.parseBool("tool_choice.disable_parallel_tool_use", p.Value())
		default:
			p.readUnknownMember([]string{"type", "name", "disable_parallel_tool_use"})
		}
	}
	switch string(s.choiceKind) {
	case `"auto"`, `"any"`, `"none"`:
	case `"tool"`:
		if !jsonscan.IsString(s.choiceName) || len(s.choiceName) == 2 {
			p.SetError(errInvalidParam("tool_choice.name", "must be a non-empty string"))
		}
	default:
		p.SetError(errInvalidParam("tool_choice.type", `must be "auto", "any", "tool" or "none"`))
	}
}

// forcesServerTool reports whether the model must call a tool that Anthropic runs.
func (p *parser) forcesServerTool() bool {
	s := &p.anthropic
	switch string(s.choiceKind) {
	case `"any"`:
		return len(s.serverTools) > 0 && s.customTools == 0
	case `"tool"`:
		return containsText(s.serverTools, s.choiceName)
	}
	return false
}

// containsText reports whether list contains a string with the same text as v.
func containsText(list []jsontext.Value, v jsontext.Value) bool {
	for _, other := range list {
		if string(other) == string(v) || bytes.IndexByte(v, '\\') >= 0 || bytes.IndexByte(other, '\\') >= 0 {
			if bytes.Equal(jsonscan.DecodeString(other), jsonscan.DecodeString(v)) {
				return true
			}
		}
	}
	return false
}
